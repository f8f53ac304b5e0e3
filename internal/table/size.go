package table

import "reflect"

// Size returns how many bytes a table takes.
func (t *Table) Size() int64 {
	return int64(reflect.TypeFor[Table]().Size()) + referred(reflect.ValueOf(t).Elem())
}

// referred returns how many bytes a value takes beside its own.
func referred(v reflect.Value) (bytes int64) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			bytes = int64(v.Type().Elem().Size()) + referred(v.Elem())
		}
	case reflect.Slice:
		bytes = int64(v.Cap()) * int64(v.Type().Elem().Size()) // no element refers to anything
	case reflect.Struct:
		for i := range v.NumField() {
			bytes += referred(v.Field(i))
		}
	}
	return bytes
}
