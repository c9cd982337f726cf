# Completion of copypasta's options for fish. The command accepts only one option.
complete --command copypasta --no-files
set --local alone 'test (count (commandline --tokenize --current-process --cut-at-cursor)) -eq 1'
complete --command copypasta --condition $alone --long-option toggle --description 'Show the window, or hide it if it is in front'
complete --command copypasta --condition $alone --long-option background --description 'Start without showing the window'
complete --command copypasta --condition $alone --long-option quit --description 'Quit the running CopyPasta'
complete --command copypasta --condition $alone --long-option print --description 'Print the newest item’s text, or the N-th newest'
complete --command copypasta --condition $alone --long-option export --description 'Write the history to standard output as JSON lines'
complete --command copypasta --condition $alone --long-option import --description 'Add items that --export wrote, from standard input'
complete --command copypasta --condition $alone --long-option check --description 'Check the history for problems'
complete --command copypasta --condition $alone --long-option clear --description 'Delete all items permanently, without asking'
complete --command copypasta --condition $alone --long-option version --description 'Show the version'
complete --command copypasta --condition $alone --short-option h --long-option help --description 'Show the help'
