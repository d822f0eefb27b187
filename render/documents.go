package render

import "reflect"

// DiffDocument is the Go type behind what [DiffJSON] writes, for those who describe it.
func DiffDocument() reflect.Type { return reflect.TypeFor[jsonDiff]() }

// ReviewDocument is the Go type behind what [ReviewJSON] writes.
func ReviewDocument() reflect.Type { return reflect.TypeFor[jsonReview]() }
