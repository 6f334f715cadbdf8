package fakeopenai

// queue is a first-in, first-out queue. The zero queue is empty.
type queue[T any] struct {
	all     []T
	dropped int // dropped counts the items at the front of all that were dropped.
}

func (q *queue[T]) len() int { return len(q.all) - q.dropped }

// items are the items in the queue. The slice is valid until the next push or drop.
func (q *queue[T]) items() []T { return q.all[q.dropped:] }

func (q *queue[T]) push(items ...T) { q.all = append(q.all, items...) }

// drop removes n items from the front. The rest is moved to the start of the array only
// when half of it is free, so that drop costs constant time per item.
func (q *queue[T]) drop(n int) {
	q.dropped += n
	if q.dropped*2 >= len(q.all) {
		q.all = append(q.all[:0], q.all[q.dropped:]...)
		q.dropped = 0
	}
}
