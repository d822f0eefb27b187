package secrets

import "math/rand/v2"

// Planted are the keys that tests in the package secrets_test may plant.
var Planted = planted

// Opaque are the members of a session that nobody but a provider reads.
var Opaque = opaque

// Plant returns a text that holds keys, and those keys.
func Plant(p struct {
	kind, path string
	text       func(r *rand.Rand) string
}, r *rand.Rand) (text string, keys []string) {
	return plant(p.text(r))
}
