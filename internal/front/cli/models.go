package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/satchel-dev/satchel/internal/front/config"
	"github.com/satchel-dev/satchel/internal/world/llm"
)

// noModel is the usage error of a model that is not configured, with what to write.
func (a *app) noModel(err error) error {
	var none *config.NoModelError
	if !errors.As(err, &none) || len(none.Have) > 0 {
		return &usageError{err, "name one with --llm NAME, or call one [llm.default] in your config.toml"}
	}
	return &usageError{err, "write one of these into your own " + config.UserFile(a.getenv) + "\n" + strings.TrimSuffix(config.Example, "\n")}
}

// key returns the key of a model's server, from the variable or the command in the
// user's configuration. It returns "" if neither is configured. Errors say that the key
// is for what, and hint at without.
func (a *app) key(ctx context.Context, l *config.LLM, what, without string) (string, error) {
	e := l.Endpoint("")
	switch {
	case l.KeyCommand != nil:
		key, err := llm.KeyFrom(ctx, l.KeyCommand, a.env.Environ)
		if err != nil && ctx.Err() == nil {
			err = &credentialError{what: what, fault: err, host: host(e.Address()), without: without}
		}
		return key, err
	case l.KeyEnv == "":
		return "", nil
	}
	key := a.getenv(l.KeyEnv)
	if key == "" {
		return "", &credentialError{what: what, variable: l.KeyEnv, host: host(e.Address()), without: without}
	}
	return key, nil
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// A credentialError is a key that is not there.
type credentialError struct {
	what, variable, host, without string
	fault                         error // of the command that prints it
}

func (e *credentialError) Error() string {
	if e.fault != nil {
		return fmt.Sprintf("%s by %s needs a key: %v", e.what, e.host, e.fault)
	}
	return fmt.Sprintf("%s by %s needs a key, and %s is not set", e.what, e.host, e.variable)
}

func (e *credentialError) hint() string {
	if e.fault != nil {
		return "run the key-command of your config.toml by hand; or " + e.without
	}
	return fmt.Sprintf("set %s, which key-env in your config.toml names; or %s", e.variable, e.without)
}
