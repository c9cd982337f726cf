/// What ended a wait on an X connection before it had what it waited for.
enum Interruption: Error, Equatable {
  case deadlinePassed, cancelled, connectionLost
}
