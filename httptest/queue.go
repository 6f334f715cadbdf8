package fakeopenai

// queue holds items in the order in which they came. The zero queue is empty.
type queue[T any] struct {
	all     []T
	dropped int // dropped counts the items at the front of all that were dropped.
}

func (q *queue[T]) len() int { return len(q.all) - q.dropped }

// items are what is in the queue, until the next push or drop.
func (q *queue[T]) items() []T { return q.all[q.dropped:] }

func (q *queue[T]) push(items ...T) { q.all = append(q.all, items...) }

// drop takes n items from the front. The rest moves up only now and then, so
// that a long queue is emptied in steps that cost next to nothing.
func (q *queue[T]) drop(n int) {
	q.dropped += n
	if q.dropped*2 >= len(q.all) {
		q.all = append(q.all[:0], q.all[q.dropped:]...)
		q.dropped = 0
	}
}
