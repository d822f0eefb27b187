package config

import "testing"

func TestAssumed(t *testing.T) {
	l := Assumed()
	if l.Name != defaultLLM || l.Model == "" || l.KeyEnv == "" || len(l.Price) != 4 {
		t.Errorf("%+v", l)
	}
	e := l.Endpoint("")
	if err := e.Check(); err != nil {
		t.Error(err)
	}
}
