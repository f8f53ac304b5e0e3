// Package evidence has the form of a folder of evidence: for each crawler that broke robots.txt
// the lines of the log that show it, with all that is needed to judge them again.
//
// A Writer makes a folder beside the one that is asked for, and gives it the name when all of it
// is on the disk. Open checks that every file of a folder is the one that was written. The
// manifest (manifest.go) is the table of contents, a list of lines has a file of raw lines and
// one of rows beside it (list.go), and a letter says in words what the lines of one crawler
// show (letter.go). docs/evidence.md describes all of it.
//
// The package knows neither logs nor how requests are judged: package job does.
package evidence
