package format

// jsonFormats are the formats of which each line is a JSON object.
var jsonFormats []*Format
