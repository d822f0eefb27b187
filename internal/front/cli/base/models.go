package base

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/world/llm"
)

// NoModel is the usage error of a model that is not configured, with what to write.
func (a *App) NoModel(err error) error {
	var none *config.NoModelError
	if !errors.As(err, &none) || len(none.Have) > 0 {
		return Usage(err, "name one with --llm NAME, or call one [llm.default] in your config.toml")
	}
	return Usage(err, "write one of these into your own "+config.UserFile(a.Getenv)+"\n"+strings.TrimSuffix(config.Example, "\n"))
}

// Key returns the key of a model's server, from the variable or the command in the
// user's configuration. It returns "" if neither is configured. Errors say that the key
// is for what, and hint at without.
func (a *App) Key(ctx context.Context, l *config.LLM, what, without string) (string, error) {
	e := l.Endpoint("")
	switch {
	case l.KeyCommand != nil:
		key, err := llm.KeyFrom(ctx, l.KeyCommand, a.Env.Environ)
		if err != nil && ctx.Err() == nil {
			err = &CredentialError{what: what, fault: err, host: Host(e.Address()), without: without}
		}
		return key, err
	case l.KeyEnv == "":
		return "", nil
	}
	key := a.Getenv(l.KeyEnv)
	if key == "" {
		return "", &CredentialError{what: what, variable: l.KeyEnv, host: Host(e.Address()), without: without}
	}
	return key, nil
}

func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}
