import CGtk
import Dispatch

/// Where tasks run that belong to no actor, and every task for a moment on its way back to its actor: on a queue of its
/// own, and not on libdispatch's pool of threads.
///
/// From the first pooled thread on libdispatch looks after its pool once a second, for as long as the process lives: 60
/// wake-ups a minute in a program that does nothing. Work that takes time has an actor with a queue of its own.
enum PoollessTasks {
  private static let queue = DispatchQueue(label: "tasks of no actor")

  /// Sends such tasks to the queue from now on, by the hook that the Swift runtime has for it.
  static func begin() {
    copypasta_enqueue_jobs_by { job in
      let job = Job(pointer: job)
      PoollessTasks.queue.async { copypasta_run_job(job.pointer) }
    }
  }

  /// A part of a task.
  // Unchecked: the runtime hands each over once, to be run by whoever has it.
  private struct Job: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
  }
}
