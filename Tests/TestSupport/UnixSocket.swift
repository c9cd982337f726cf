import Foundation

/// A connection to a program that listens on a Unix socket.
struct UnixSocket: ~Copyable {
  private let socket: Int32
  private let path: String

  /// Connects to the socket at `path`; each operation waits at most `generousLimit`, in case the program is stopped.
  init(to path: String) throws {
    self.path = path
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: time_t(generousLimit.components.seconds), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_un()
    precondition(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path), "too long: \(path)")
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else { throw failure }
  }

  deinit { close(socket) }

  private var failure: TestSupportError { .system(path, code: errno) }

  func send(_ message: Data) throws {
    let sent = message.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard sent == message.count else { throw failure }
  }

  /// Receives exactly `count` bytes.
  func receive(_ count: Int) throws -> Data {
    var data = Data(count: count)
    let received = data.withUnsafeMutableBytes { recv(socket, $0.baseAddress, count, Int32(MSG_WAITALL)) }
    guard received >= 0 else { throw failure }
    guard received == count else { throw TestSupportError("\(path): closed before its answer was whole") }
    return data
  }

  /// Receives all bytes until the other end closes the connection.
  func receiveToEnd() throws -> Data {
    var data = Data()
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let received = recv(socket, &part, part.count, 0)
      guard received >= 0 else { throw failure }
      if received == 0 { return data }
      data.append(contentsOf: part[..<received])
    }
  }
}
