package format

// columnFormats are the formats with a header that names their columns.
var columnFormats []*Format
