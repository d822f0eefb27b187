package main

// serverSchema is the format of server.json; testdata has a copy of it.
const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// An entry is a server.json of the MCP registry.
type entry struct {
	Schema      string          `json:"$schema"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Repository  entryRepository `json:"repository"`
	Version     string          `json:"version"`
	Packages    []serverPackage `json:"packages"`
}

type entryRepository struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

// A serverPackage is one way to get the server.
type serverPackage struct {
	Type       string            `json:"registryType"`
	Base       string            `json:"registryBaseUrl,omitempty"`
	Identifier string            `json:"identifier"`
	Version    string            `json:"version,omitempty"`
	Hint       string            `json:"runtimeHint"`
	Runtime    []argument        `json:"runtimeArguments,omitempty"`
	Arguments  []argument        `json:"packageArguments"`
	Transport  map[string]string `json:"transport"`
}

type argument struct {
	Type        string              `json:"type"`
	Name        string              `json:"name,omitempty"`
	Value       string              `json:"value"`
	Description string              `json:"description,omitempty"`
	Variables   map[string]variable `json:"variables,omitempty"`
}

type variable struct {
	Description string `json:"description"`
	Required    bool   `json:"isRequired"`
	Format      string `json:"format"`
}

// serverJSON returns the entry of the MCP registry. The registry looks for its name
// in the npm package (mcpName) and in a label of the image
// (io.modelcontextprotocol.server.name), and refuses both otherwise; an image has
// its version in its name.
func serverJSON(version string) []byte {
	stdio := map[string]string{"type": "stdio"}
	mcp := []argument{{Type: "positional", Value: "mcp"}}
	mount := argument{Type: "named", Name: "--mount", Value: "type=bind,src={project},dst=/work", Description: "the folder that satchel reads",
		Variables: map[string]variable{"project": {"absolute path of the repository", true, "filepath"}}}
	return pretty(entry{
		Schema:      serverSchema,
		Name:        serverName,
		Title:       "satchel",
		Description: "The context of a repository that a task needs, ranked, within a budget of tokens, and a receipt.",
		Repository:  entryRepository{repoURL, "github"},
		Version:     version,
		Packages: []serverPackage{
			{Type: "npm", Base: "https://registry.npmjs.org", Identifier: npmName, Version: version, Hint: "npx", Arguments: mcp, Transport: stdio},
			{Type: "oci", Identifier: "ghcr.io/satchel-dev/satchel:" + version, Hint: "docker", Runtime: []argument{mount}, Arguments: mcp, Transport: stdio},
		},
	})
}
