package main

import (
	"strings"

	"github.com/satchel-dev/satchel/transcript"
)

// valid reports what a provider would refuse of a packed context, or what it
// holds that the past did not; "" if nothing.
func valid(past, out []transcript.Message, dangling map[string]bool) string {
	if len(out) == 0 {
		return "empty"
	}
	if out[0].Role != transcript.User {
		return "does not begin with the user"
	}
	if out[len(out)-1].Role != past[len(past)-1].Role {
		return "ends with another role"
	}
	o := order{at: map[string]int{}, times: map[string]int{}, last: -1}
	o.read(past)
	for i := range out {
		m := &out[i]
		if len(m.Blocks) == 0 {
			return "empty message"
		}
		for b := range m.Blocks {
			blk := &m.Blocks[b]
			switch blk.Type {
			case transcript.Text:
				if strings.TrimSpace(blk.Text) == "" {
					return "empty text"
				}
			case transcript.Call:
				id := recorded(blk)
				if !dangling[id] && (i+1 == len(out) || !has(&out[i+1], transcript.Result, id)) {
					return "call without result"
				}
				if why := o.call(id); why != "" {
					return why
				}
			case transcript.Result:
				if i == 0 || !has(&out[i-1], transcript.Call, recorded(blk)) {
					return "result without call"
				}
			}
		}
	}
	return ""
}

// An order is that of the calls of the past. Calls that share an id with another
// one have none.
type order struct {
	at    map[string]int // the call of each id
	times map[string]int // that an id stands for a call
	last  int            // call that was seen
}

func (o *order) read(past []transcript.Message) {
	n := 0
	for i := range past {
		for b := range past[i].Blocks {
			if blk := &past[i].Blocks[b]; blk.Type == transcript.Call {
				id := recorded(blk)
				o.at[id] = n
				o.times[id]++
				n++
			}
		}
	}
}

// call reports what is wrong with a call that comes next.
func (o *order) call(id string) string {
	switch {
	case o.times[id] == 0:
		return "invented call"
	case o.times[id] > 1:
		return ""
	case o.at[id] <= o.last:
		return "another order"
	}
	o.last = o.at[id]
	return ""
}

// recorded returns the id of a call or result as its agent wrote it.
func recorded(b *transcript.Block) string {
	if b.Native != "" {
		return b.Native
	}
	return b.ID
}

func has(m *transcript.Message, t transcript.BlockType, id string) bool {
	for i := range m.Blocks {
		if m.Blocks[i].Type == t && recorded(&m.Blocks[i]) == id {
			return true
		}
	}
	return false
}
