// What package outline needs of tree-sitter's C API (tree_sitter/api.h of
// v0.25.0), declared here because a cgo package cannot include the header of
// another module, plus the two functions of tree.c.
#ifndef SATCHEL_TREE_H
#define SATCHEL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;

typedef struct {
  uint32_t row;
  uint32_t column;
} TSPoint;

typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t byte, TSPoint point, uint32_t *read);
  int encoding; // 0 is UTF-8
  uint32_t (*decode)(const uint8_t *string, uint32_t length, int32_t *code_point);
} TSInput;

typedef struct {
  void *payload;
  uint32_t current_byte_offset;
  bool has_error;
} TSParseState;

typedef struct {
  void *payload;
  bool (*progress_callback)(TSParseState *state);
} TSParseOptions;

typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;

typedef struct {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;

TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *self);
void ts_parser_reset(TSParser *self);
bool ts_parser_set_language(TSParser *self, const TSLanguage *language);
TSTree *ts_parser_parse_with_options(TSParser *self, const TSTree *old, TSInput input, TSParseOptions options);
void ts_tree_delete(TSTree *self);
TSNode ts_tree_root_node(const TSTree *self);
uint16_t ts_node_symbol(TSNode self);
bool ts_node_is_named(TSNode self);
uint32_t ts_node_start_byte(TSNode self);
uint32_t ts_node_end_byte(TSNode self);
TSPoint ts_node_start_point(TSNode self);
TSPoint ts_node_end_point(TSNode self);
TSTreeCursor ts_tree_cursor_new(TSNode node);
void ts_tree_cursor_delete(TSTreeCursor *self);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *self);
uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *self);
bool ts_tree_cursor_goto_parent(TSTreeCursor *self);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *self);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *self);
uint32_t ts_language_symbol_count(const TSLanguage *self);
const char *ts_language_symbol_name(const TSLanguage *self, uint16_t symbol);
uint32_t ts_language_field_count(const TSLanguage *self);
const char *ts_language_field_name_for_id(const TSLanguage *self, uint16_t id);

// A satchel_node is a named node of a syntax tree, in a list in pre-order. Its
// children are the nodes after it, each reached from the one before by next.
typedef struct {
  uint16_t kind;   // the language's symbol
  uint16_t field;  // field of the parent that holds it; 0 is none
  uint32_t start;  // bytes [start, end)
  uint32_t end;
  uint32_t row;    // rows, 0-based
  uint32_t endrow;
  int32_t parent;  // index of the parent; -1 for the root
  uint32_t next;   // index after its last descendant
} satchel_node;

typedef struct {
  satchel_node *nodes;
  size_t count, room;
  int32_t *open;   // indexes of the open nodes, by depth
  size_t openroom;
} satchel_tree;

enum { SATCHEL_OK, SATCHEL_BUDGET, SATCHEL_MEMORY };

// satchel_parse parses src and lists its named nodes in *out, whose arrays are
// grown and reused. It gives up, with SATCHEL_BUDGET, after microseconds of this
// thread's processor time.
int satchel_parse(TSParser *parser, const char *src, uint32_t length, uint64_t micros, satchel_tree *out);

#endif
