package transcript

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// A linked record has an id and that of its parent.
type linked struct {
	id, parent string
	side       bool
}

// slowPath is what tree.walk does, that looks at every earlier record for each
// link that is mended, and knows records by their ids.
func slowPath(records []linked, leaf int) (path []int) {
	visited := map[int]bool{}
	find := func(id string) int {
		return slices.IndexFunc(records, func(r linked) bool { return r.id == id })
	}
	for i := leaf; i >= 0; {
		visited[i] = true
		path = append(path, i)
		if records[i].parent == "" {
			break
		}
		p := find(records[i].parent)
		if p < 0 || visited[p] {
			for p = i - 1; p >= 0; p-- {
				if m := records[p]; !visited[p] && find(m.id) == p && m.side == records[leaf].side {
					break
				}
			}
		}
		i = p
	}
	return path
}

// TestPathBridges links records at random: to earlier and later ones, to
// themselves, to none.
func TestPathBridges(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for range 2000 {
		tr := newTree()
		var records []linked
		number := 0
		for i, n := 0, 1+rnd.Intn(20); i < n; i++ {
			r := linked{fmt.Sprint(rnd.Intn(22)), fmt.Sprint(rnd.Intn(25)), rnd.Intn(5) == 0}
			switch rnd.Intn(4) {
			case 0: // the common case
				if i > 0 {
					r.parent = records[i-1].id
				}
			case 1:
				if rnd.Intn(9) == 0 {
					r.parent = ""
				}
			}
			x := node{record: number}
			if number++; rnd.Intn(3) == 0 {
				number++
			}
			if r.parent != "" {
				x.parent = hash(r.parent)
			}
			if r.side {
				x.flags |= isSide
			}
			if got, f := tr.add([]byte(r.id), x); got != i || tr.record(i) != x.record || (f&isCopy != 0) != slices.ContainsFunc(records, func(o linked) bool { return o.id == r.id }) {
				t.Fatalf("add(%+v) = %d, %b; it has record %d", r, got, f, tr.record(got))
			}
			records = append(records, r)
		}
		leaf := rnd.Intn(tr.len())
		var got []int
		tr.walk(leaf, true, func(i int) bool { got = append(got, i); return true })
		if want := slowPath(records, leaf); !slices.Equal(got, want) {
			t.Fatalf("from %d of %+v: %v, want %v", leaf, records, got, want)
		}
	}
}

// TestLinear does what takes minutes or hours where the work grows with the square of the
// records: files that somebody made for that.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("long files")
	}
	const n = 200_000
	t.Run("bridges", func(t *testing.T) {
		// Each entry of the first half hangs on one of the second, whose parent is
		// missing: every other link is mended, ever further down.
		tr := newTree()
		id := func(i int) []byte { return fmt.Append(nil, i) }
		for i := range n {
			tr.add(id(i), node{record: i, parent: hashBytes(id(2*n - 1 - i))})
		}
		for i := n; i < 2*n; i++ {
			tr.add(id(i), node{record: i, parent: hashBytes([]byte("missing"))})
		}
		path := 0
		broken := tr.walk(n-1, true, func(int) bool { path++; return true })
		if path != 2*n || broken == 0 {
			t.Errorf("path of %d nodes, %d links mended; want %d nodes", path, broken, 2*n)
		}
	})
	t.Run("ids", func(t *testing.T) {
		l, b := &lane{}, &builder{}
		for i := range n {
			b.unique(l, fmt.Sprintf("x_%d", i+2))
		}
		seen := ""
		for range n {
			seen = b.unique(l, "x")
		}
		if want := fmt.Sprintf("x_%d", 2*n); seen != want {
			t.Errorf("the last id is %s, want %s", seen, want)
		}
	})
	t.Run("turns taken back", func(t *testing.T) {
		p := &codexPlan{}
		prompt := []byte(`{"type":"response_item","payload":{"type":"message","role":"user","content":"x"}}`)
		back := []byte(`{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}`)
		for i := 0; i+2 < n; i += 3 {
			p.skim(i, prompt)
			p.skim(i+1, prompt)
			p.skim(i+2, back)
		}
		sent := p.plan().sent
		for i := range n / 3 * 3 {
			if got, want := sent(i), i%3 != 1; got != want {
				t.Fatalf("record %d is sent: %v, want %v", i, got, want)
			}
		}
	})
}

// TestTakenBackTwice takes back a turn, and then one before it.
func TestTakenBackTwice(t *testing.T) {
	lines := []string{`{"type":"session_meta","payload":{"id":"c"}}`}
	for _, x := range []string{"one", "two", "back 1", "three", "back 2", "four"} {
		if n, ok := strings.CutPrefix(x, "back "); ok {
			lines = append(lines, `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":`+n+`}}`)
			continue
		}
		lines = append(lines, `{"type":"response_item","payload":{"type":"message","role":"user","content":"`+x+`"}}`)
	}
	data := []byte(strings.Join(lines, "\n"))
	s, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Messages) != 1 || s.Messages[0].text() != "four" {
		t.Errorf("%d messages, want only \"four\": %+v", len(s.Messages), s.Messages)
	}
}

// TestEarlyBytes holds no more of results that wait for their calls than of
// anything else that waits.
func TestEarlyBytes(t *testing.T) {
	b := newBuilder(&Session{}, func(*Message, bool) error { return nil })
	b.sent = true
	for i := range 40 {
		b.add(Message{Kind: Results, Blocks: []Block{{Type: Result, ID: fmt.Sprint("t", i), Text: strings.Repeat("x", 1<<20)}}})
	}
	l := b.lane()
	if l.earlyBytes > maxWaitingBytes || len(l.early) != maxWaitingBytes>>20 {
		t.Errorf("%d results of %d bytes wait", len(l.early), l.earlyBytes)
	}
	b.add(Message{Kind: Answer, Blocks: []Block{{Type: Call, ID: "t39"}}})
	if b.finish(); b.orphans != 39 || b.dangling != 0 || l.earlyBytes > maxWaitingBytes-1<<20 {
		t.Errorf("%d orphans and %d calls without a result, want 39 and 0", b.orphans, b.dangling)
	}
}

// TestManyLanes keeps no more sidechains open than maxLanes, never closes the
// main conversation, and loses no message.
func TestManyLanes(t *testing.T) {
	got := 0
	b := newBuilder(&Session{}, func(m *Message, _ bool) error {
		if m.Side {
			got += len(m.Blocks)
		}
		return nil
	})
	b.sent = true
	b.add(Message{Kind: Answer, Blocks: []Block{{Type: Call, ID: "main"}}})
	const n = 5 * maxLanes
	for i := range n {
		b.side(fmt.Sprint(i))
		b.add(Message{Kind: Answer, Blocks: []Block{{Type: Call, ID: "t"}}})
		if len(b.order) > maxLanes || len(b.order) != len(b.lanes) {
			t.Fatalf("%d lanes and %d names are open", len(b.order), len(b.lanes))
		}
	}
	b.chain = ""
	b.add(Message{Kind: Results, Blocks: []Block{{Type: Result, ID: "main", Text: "x"}}})
	if b.finish(); got != 2*n || b.orphans != 0 || b.dangling != n {
		t.Errorf("%d blocks of sidechains, %d orphans, %d calls without a result; want %d, 0, %d", got, b.orphans, b.dangling, 2*n, n)
	}
}

// TestWideLanes holds no more of what waits in sidechains together than of what
// waits in one conversation.
func TestWideLanes(t *testing.T) {
	blocks := 0
	b := newBuilder(&Session{}, func(m *Message, _ bool) error {
		blocks += len(m.Blocks)
		return nil
	})
	b.sent = true
	const n, size = maxLanes / 2, maxWaitingBytes / 8
	for i := range n {
		b.side(fmt.Sprint(i))
		b.add(Message{Kind: Answer, Blocks: []Block{{Type: Text, Text: strings.Repeat("x", size/2)}, {Type: Call, ID: "t"}}})
		b.add(Message{Kind: Results, Blocks: []Block{{Type: Result, ID: "other", Text: strings.Repeat("x", size/2)}}})
		if b.aside() > maxWaitingBytes {
			t.Fatalf("%d bytes wait in %d sidechains", b.aside(), len(b.order))
		}
	}
	if len(b.order) < 6 {
		t.Errorf("%d sidechains are open, though there is room for 7", len(b.order))
	}
	if b.finish(); blocks != 3*n || b.orphans != n || b.dangling != n {
		t.Errorf("%d blocks, %d orphans, %d calls without a result; want %d, %d, %d", blocks, b.orphans, b.dangling, 3*n, n, n)
	}
}
