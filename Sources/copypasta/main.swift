import CopyPastaApp
import Glibc

exit(CopyPasta.run(arguments: Array(CommandLine.arguments.dropFirst())))
