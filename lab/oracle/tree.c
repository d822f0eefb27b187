//go:build cgo && oracle

#include "tree.h"

#include <stdlib.h>
#include <time.h>

typedef struct {
  const char *src;
  uint32_t length;
} text;

static const char *read_text(void *payload, uint32_t byte, TSPoint point, uint32_t *read) {
  (void)point;
  text *t = payload;
  if (byte >= t->length) {
    *read = 0;
    return "";
  }
  *read = t->length - byte;
  return t->src + byte;
}

static uint64_t micros_used(void) {
#ifdef CLOCK_THREAD_CPUTIME_ID
  struct timespec t;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
  }
#endif
  return 0;
}

static bool spent(TSParseState *state) {
  const uint64_t *until = state->payload;
  return micros_used() > *until;
}

static satchel_node *add(satchel_tree *t) {
  if (t->count == t->room) {
    size_t room = t->room ? 2 * t->room : 4096;
    satchel_node *nodes = realloc(t->nodes, room * sizeof *nodes);
    if (!nodes) {
      return NULL;
    }
    t->nodes = nodes;
    t->room = room;
  }
  return &t->nodes[t->count++];
}

// list walks the tree with a cursor, which needs no recursion, and so no stack
// that a deeply nested input could exhaust.
static int list(TSTree *tree, satchel_tree *out) {
  TSNode root = ts_tree_root_node(tree);
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  size_t depth = 0; // of the cursor; open[depth] is the index of its node, or of its nearest named ancestor
  int status = SATCHEL_OK;
  out->count = 0;
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    if (depth >= out->openroom) {
      size_t room = out->openroom ? 2 * out->openroom : 256;
      int32_t *open = realloc(out->open, room * sizeof *open);
      if (!open) {
        status = SATCHEL_MEMORY;
        break;
      }
      out->open = open;
      out->openroom = room;
    }
    int32_t parent = depth ? out->open[depth - 1] : -1;
    if (ts_node_is_named(node) || depth == 0) {
      satchel_node *n = add(out);
      if (!n) {
        status = SATCHEL_MEMORY;
        break;
      }
      n->kind = ts_node_symbol(node);
      n->field = depth ? ts_tree_cursor_current_field_id(&cursor) : 0;
      n->start = ts_node_start_byte(node);
      n->end = ts_node_end_byte(node);
      n->row = ts_node_start_point(node).row;
      n->endrow = ts_node_end_point(node).row;
      n->parent = parent;
      n->next = 0;
      out->open[depth] = (int32_t)(out->count - 1);
    } else {
      out->open[depth] = parent;
    }
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      depth++;
      continue;
    }
    for (;;) {
      int32_t i = out->open[depth];
      if (depth == 0 || i != out->open[depth - 1]) {
        out->nodes[i].next = (uint32_t)out->count;
      }
      if (ts_tree_cursor_goto_next_sibling(&cursor)) {
        break;
      }
      if (depth == 0 || !ts_tree_cursor_goto_parent(&cursor)) {
        goto done;
      }
      depth--;
    }
  }
done:
  ts_tree_cursor_delete(&cursor);
  return status;
}

int satchel_parse(TSParser *parser, const char *src, uint32_t length, uint64_t micros, satchel_tree *out) {
  text t = {src, length};
  TSInput input = {&t, read_text, 0, NULL};
  uint64_t until = micros_used() + micros;
  TSParseOptions options = {&until, spent};
  out->count = 0;
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  if (!tree) {
    ts_parser_reset(parser);
    return SATCHEL_BUDGET;
  }
  int status = list(tree, out);
  ts_tree_delete(tree);
  return status;
}
