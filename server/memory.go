package server

import (
	"reflect"
	"unsafe"
)

// memoryOf is about how many bytes of memory a value takes, with all that it points to.
func memoryOf(v any) int { return memory{}.of(reflect.ValueOf(v)) }

// memory has what was counted, by its address.
type memory map[unsafe.Pointer]bool

// of is what a value takes beside the memory that it stands in.
func (m memory) of(v reflect.Value) (bytes int) {
	if kind := v.Kind(); kind == reflect.Pointer || kind == reflect.Slice {
		at := v.UnsafePointer()
		if at == nil || m[at] {
			return 0
		}
		m[at] = true
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return int(v.Elem().Type().Size()) + m.of(v.Elem())
	case reflect.String:
		return v.Len()
	case reflect.Slice:
		of := v.Type().Elem()
		bytes = v.Cap() * int(of.Size())
		if of.Kind() <= reflect.Complex128 {
			return bytes // numbers have no parts
		}
		for i := range v.Len() {
			bytes += m.of(v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			bytes += m.of(field)
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			const room = 2 // as much is free
			bytes += room*int(key.Type().Size()+value.Type().Size()) + m.of(key) + m.of(value)
		}
	case reflect.Func:
		const captured = 64 // nobody can look into a function
		return captured
	default: // Other values have no parts; those of an array are small.
	}
	return bytes
}
