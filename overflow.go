package satchel

import "fmt"

// An OverflowError says that a budget is too small for what has to stay. Nothing
// was packed, cut or changed.
type OverflowError struct {
	What    string // what has to stay, such as "context files"; "" if it is the least of a pack
	Need    int    // tokens: the smallest limit that works
	Limit   int    // tokens
	AtLeast bool   // Need was not counted to the end
	Fixed   int    // of Need, what nobody can make room of; 0 if that is not known
}

func (e *OverflowError) Error() string {
	if e.What == "" {
		return fmt.Sprintf("at least %d tokens are needed, limit is %d (%d short)", e.Need, e.Limit, e.Need-e.Limit)
	}
	least := ""
	if e.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("%s would take %s%d tokens and may take %d: %s%d too many", e.What, least, e.Need, e.Limit, least, e.Need-e.Limit)
}
