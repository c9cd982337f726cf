# Completion of copypasta's options for bash.
# shellcheck shell=bash
_copypasta() {
  # The command accepts only one option.
  ((COMP_CWORD == 1)) || return 0
  mapfile -t COMPREPLY < <(
    compgen -W '--toggle --background --quit --print --export --import --check --clear --version --help' -- "${COMP_WORDS[COMP_CWORD]}"
  )
}
complete -F _copypasta copypasta
