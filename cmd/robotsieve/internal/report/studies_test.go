package report

import (
	"bytes"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/robotsieve/robotsieve/scan/report"
)

// Numbers have six digits after the point in both forms, and NaN is none.
func TestStudiesInBothForms(t *testing.T) {
	none := math.NaN()
	r := &report.Report{Studies: []report.StudyRow{
		{Measure: "m", Scope: "all", Identity: "verified", N: 3, Unit: "sessions", Requests: 4,
			Value: 2.0 / 3, Low: 0, High: 1},
		{Measure: "limit", Scope: "log", Value: none, Low: none, High: none, Note: "=a"},
	}}
	var text, table bytes.Buffer
	if err := WriteStudies(&text, r, "csv"); err != nil {
		t.Fatal(err)
	}
	if want := "measure,scope,name,identity,n,unit,requests,value,low,high,note\n" +
		"m,all,,verified,3,sessions,4,0.666667,0,1,\nlimit,log,,,,,,,,,'=a\n"; text.String() != want {
		t.Errorf("%s", text.String())
	}
	if !IsStudies(text.Bytes()) || IsStudies([]byte("measure,scope\n")) {
		t.Error("studies are not told from other files")
	}
	if err := WriteStudies(&table, r, "parquet"); err != nil {
		t.Fatal(err)
	}
	rows := make([]parquet.Row, 2)
	n, _ := parquet.NewReader(bytes.NewReader(table.Bytes())).ReadRows(rows)
	if n != 2 || rows[0][7].Double() != 0.666667 ||
		rows[0][9].Double() != 1 || !rows[1][7].IsNull() || rows[0][4].Int64() != 3 {
		t.Errorf("%v", rows)
	}
}
