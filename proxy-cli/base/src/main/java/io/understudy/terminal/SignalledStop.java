package io.understudy.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Has a long command end early, with its report, when a signal ends the program (Ctrl-C, SIGTERM). From {@link #begin}
 * to {@link #close}, which must come after the report.
 */
public final class SignalledStop implements AutoCloseable {
    private static final String REASON = "the program was asked to end";
    private static final long REPORT_SECONDS = 10;

    private final CountDownLatch reported = new CountDownLatch(1);
    private final Thread hook;

    private SignalledStop(Consumer<String> stop) {
        hook = new Thread(
                () -> {
                    stop.accept(REASON);
                    try {
                        reported.await(REPORT_SECONDS, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "stop-on-signal");
    }

    /**
     * Watches for a signal from now on.
     *
     * @param stop called once with the reason, if at all; must not wait
     */
    public static SignalledStop begin(Consumer<String> stop) {
        SignalledStop signalled = new SignalledStop(stop);
        Runtime.getRuntime().addShutdownHook(signalled.hook);
        return signalled;
    }

    @Override
    public void close() {
        reported.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It runs, and ends now.
        }
    }
}
