package lists

import (
	"fmt"

	"github.com/robotsieve/robotsieve/scan/columnar"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/list"
)

// Annotator returns the function that writes annotations of a form about agents with these names, nil for "".
func Annotator(form string, names []string) (filter.Annotator, error) {
	switch form {
	case "":
		return nil, nil
	case "json":
		return filter.NewJSON(names), nil
	case "tsv":
		return filter.NewTSV(names)
	case "append":
		return filter.NewAppended(names)
	case "parquet":
		return asTable(names), nil
	}
	return nil, fmt.Errorf("unknown annotation %q", form)
}

// asTable returns the annotator of rows for columnar.Sidecar.
func asTable(names []string) filter.Annotator {
	return func(dst []byte, _ *list.Layout, _ *list.Row, v filter.Verdict) []byte {
		r := columnar.SidecarRow{Class: v.Class.String(), Line: int32(v.Line), Allowed: v.Class == filter.Allowed}
		r.Known = r.Allowed || v.Class == filter.Disallowed || v.Class == filter.Unreachable
		for i, name := range names {
			if v.Barred>>i&1 != 0 {
				r.Barred = append(r.Barred, name)
			}
		}
		return columnar.AppendSidecarRow(dst, &r)
	}
}
