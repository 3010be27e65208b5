package io.understudy.cli.run;

/** Signals of the operating system. */
final class Signals {
    private Signals() {}

    /**
     * Runs a task whenever a signal comes, on a thread of the JVM's.
     *
     * @param name without SIG
     */
    @SuppressWarnings("sunapi") // the JDK has no other; jdk.unsupported exports it
    static void handle(String name, Runnable task) {
        sun.misc.Signal.handle(new sun.misc.Signal(name), signal -> task.run());
    }
}
