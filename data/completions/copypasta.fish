# Completion of copypasta's options for fish: one option a line is all that it takes.
complete --command copypasta --no-files
set --local alone 'test (count (commandline --tokenize --current-process --cut-at-cursor)) -eq 1'
complete --command copypasta --condition $alone --long-option toggle --description 'Show or hide the window'
complete --command copypasta --condition $alone --long-option background --description 'Start hidden'
complete --command copypasta --condition $alone --long-option quit --description 'End the program that runs'
complete --command copypasta --condition $alone --long-option export --description 'Write the history as JSON lines'
complete --command copypasta --condition $alone --long-option import --description 'Add what was exported, from standard input'
complete --command copypasta --condition $alone --long-option check --description 'Check whether the history is sound'
complete --command copypasta --condition $alone --long-option version --description 'Say which version this is'
complete --command copypasta --condition $alone --short-option h --long-option help --description 'List the options'
