package format

// programFormats are the formats that a program reads.
var programFormats []*Format
