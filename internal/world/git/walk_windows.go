package git

// walk returns what looks at the files below the folder. It reads no names for
// strays.
func (f *Folder) walk(*strays) walker { return &rootWalk{top: f.root} }
