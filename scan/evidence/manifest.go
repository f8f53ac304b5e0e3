package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

// Schema is the name of the form of a folder, in its manifest.
const Schema = schemaName + "3"

const schemaName = "robotsieve.evidence/"

// The files at the top of a folder.
const (
	manifestName = "manifest.json"
	// sumName has the SHA-256 of the manifest, in the form of sha256sum. The manifest has those of all
	// other files.
	sumName = "manifest.json.sha256"
	// Basis is the document of what the audit rests on: see package basis, which names its other
	// files.
	Basis = "basis.json"
)

// maxManifest bounds a manifest, in bytes.
const maxManifest = 256 << 20

// Manifest is the table of contents of a folder. Its texts have the bytes of the logs and files
// that they are from. Files are named by their paths in the folder, with slashes.
type Manifest struct {
	Schema string `json:"schema"`
	// Program is the version of the program, and Command its command line.
	Program string `json:"program"`
	Command string `json:"command"`
	// MadeBy is who made the folder, as they say; "" if they do not.
	MadeBy string `json:"made_by"`
	// Partial: not all of the logs was read, or too much of them could not be parsed.
	Partial bool `json:"partial"`
	// Proxied is as in report.Report.
	Proxied bool `json:"proxied"`
	// AddressesCut is whether addresses of IPv4 that look cut are, as in audit.Config.Cut.
	AddressesCut bool `json:"addresses_cut"`

	// Only is whose violations are shown, if not those of all crawlers (--crawler, --category).
	Only report.Choice `json:"only,omitzero"`

	// Format, TimeZone and AllowDuplicates are those options of the audit which say how the logs
	// are read.
	Format          string `json:"format"`
	TimeZone        string `json:"time_zone"`
	AllowDuplicates bool   `json:"allow_duplicates"`

	// Inputs are the logs, in the order in which they were read. Answers are what others were told.
	Inputs  []Input   `json:"inputs"`
	Answers []Answers `json:"answers"`
	// NotShown counts the violations of the report that the folder does not have, since their lines
	// cannot be judged without the rest of the logs.
	NotShown int64 `json:"not_shown"`
	// LookedUp are the clients whose names were looked up and found to be their crawlers' own.
	LookedUp []Client `json:"looked_up"`

	Crawlers []Crawler `json:"crawlers"`
	// Files are all files of the folder but the manifest and its sum.
	Files []File `json:"files"`
}

// Input is a log. SHA256 is of its bytes on disk, in hexadecimal.
type Input struct {
	Name string `json:"name"`
	// Lines is the file with those of its lines that the folder has, each in its place: an empty line
	// stands for each of the others. It is empty if there are none.
	Lines string `json:"lines"`
	// Origins are where its requests went, if its lines do not say it; empty if that is not known.
	// Only: lines that name another host are not judged.
	Origins []string `json:"origins"`
	Only    bool     `json:"only"`
	Format  string   `json:"format"`
	// Header is the line that names its columns, if its format has one.
	Header            string `json:"header"`
	Bytes             int64  `json:"bytes"`
	BytesUncompressed int64  `json:"bytes_uncompressed"`
	SHA256            string `json:"sha256"`
	DuplicateOf       string `json:"duplicate_of"`
	// Read: it was read, and Complete: to its end. A log with the content of another one may not have
	// been.
	Read     bool `json:"read"`
	Complete bool `json:"complete"`
}

// Answers is a file of what was answered to GETs of /robots.txt of clients that no lines of the
// folder are of: a log of the format, without addresses and names. Origins are where these requests
// went.
type Answers struct {
	Lines   string   `json:"lines"`
	Origins []string `json:"origins"`
	Format  string   `json:"format"`
}

// Client is a client of a crawler.
type Client struct {
	Crawler string `json:"crawler"`
	Address string `json:"address"`
}

// Crawler is a crawler with violations.
type Crawler struct {
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"`
	Folder   string `json:"folder"`
	// Violations counts its requests that broke robots.txt, Fetches the requests for robots.txt
	// by it and the other crawlers of its operator that the folder has.
	Violations int64 `json:"violations"`
	Fetches    int64 `json:"fetches"`
	// Requests counts all its requests in the logs, without those of impostors; 0: it is not known.
	Requests int64 `json:"requests"`
}

// File is a file of the folder. SHA256 is in hexadecimal.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (m *Manifest) marshal() ([]byte, error) {
	data, err := json.MarshalIndent(report.Texts(*m, report.ToUTF8), "", "  ")
	return append(data, '\n'), err
}

// ErrForm is the error of a folder of another form.
var ErrForm = errors.New("the folder is of another version of this program")

func readManifest(data []byte) (*Manifest, error) {
	var form struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return nil, err
	}
	switch {
	case form.Schema == Schema:
	case strings.HasPrefix(form.Schema, schemaName):
		return nil, fmt.Errorf("%w: its form is %s, and this program reads %s only; use the program that made it, or "+
			"audit the logs again", ErrForm, form.Schema, Schema)
	default:
		return nil, fmt.Errorf("the schema is %q, not %q", form.Schema, Schema)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	m = report.Texts(m, report.FromUTF8)
	return &m, nil
}
