package table

import "reflect"

// Size returns the memory of a table in bytes.
func (t *Table) Size() int64 {
	return int64(reflect.TypeFor[Table]().Size()) + referred(reflect.ValueOf(t).Elem())
}

// referred returns the memory that a value refers to, in bytes.
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
