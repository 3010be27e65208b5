package io.understudy.plugins.mirror.playback;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads for queries that wait for a server: one for each purpose, so that a frozen server delays nothing else. */
public final class QueryThread {
    private static final int IDLE_SECONDS = 15;

    private QueryThread() {}

    /** Returns an executor whose one thread ends when it has had nothing to do for some seconds. */
    public static Executor named(String name) {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory(name, true),
                new ThreadPoolExecutor.DiscardPolicy()); // after its end nobody waits for a query
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    /** Ends an executor's thread behind the query that runs. Later ones are not executed. */
    static void end(Executor queries) {
        if (queries instanceof ExecutorService own) {
            own.shutdown();
        }
    }
}
