package trim_test

import "github.com/satchel-dev/satchel/transcript/transcripttest"

// Messages of small conversations.
var (
	prompt  = transcripttest.Prompt
	answer  = transcripttest.Answer
	call    = transcripttest.Call
	read    = transcripttest.Read
	edit    = transcripttest.Edit
	bash    = transcripttest.Bash
	results = transcripttest.Results
	result  = transcripttest.Result
	failed  = transcripttest.Failed
	long    = transcripttest.Long
)
