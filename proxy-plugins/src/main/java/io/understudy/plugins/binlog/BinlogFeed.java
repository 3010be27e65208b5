package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerConnector;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The primary's binary log, read once for all that want it. The one dump connection begins with the first subscriber and ends with the
 * last; in between subscribers come and go without its noticing, but for one that brings a server id of its own.
 *
 * <p>Each subscriber's listener is called as if the stream were its own: {@code onStart} and transactions on the dump connection's event
 * loop, {@code onGap} there or on this feed's executor. One that joins a running stream is told {@code onStart}
 * between two transactions and then everything; one that joins while there is no stream is told why.
 *
 * <p>Thread-safe. Listeners are told of the stream's begin and end under this feed's lock, of transactions without it.
 */
public final class BinlogFeed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BinlogFeed.class);
    private static final BinlogSubscription[] NOBODY = {};

    private final ServerConnector connector;
    private final PrimaryQueries questions;
    private final ScheduledExecutorService executor;
    private final LongSupplier nanoClock;

    private final List<BinlogSubscription> subscribers = new ArrayList<>();
    private volatile BinlogSubscription[] readers = NOBODY;
    private volatile boolean tables;
    /** A reader wants the events' bytes. */
    private volatile boolean events;
    /** A subscriber, reading or not, wants the events' bytes. */
    private volatile boolean exact;

    private @Nullable Run run;
    private @Nullable PrimaryFacts facts;
    private @Nullable BinlogTrouble trouble;
    private boolean closed;

    /** @param nanoClock monotonic, the same that stamps packets */
    BinlogFeed(
            ServerConnector connector,
            PrimaryQueries questions,
            ScheduledExecutorService executor,
            LongSupplier nanoClock) {
        this.connector = connector;
        this.questions = questions;
        this.executor = executor;
        this.nanoClock = nanoClock;
    }

    /** The proxy's one feed. To be asked for at a plugin's start; nothing is connected before {@link #subscribe}. */
    public static BinlogFeed of(PluginContext context) {
        return context.shared(BinlogFeed.class, own -> {
            DataSource source = own.primary().dataSource();
            PrimaryQueries questions = source == null ? BinlogFeed::noAccount : new JdbcPrimaryQueries(source);
            return new BinlogFeed(own.primary().connector(), questions, own.executor(), System::nanoTime);
        });
    }

    private static PrimaryFacts noAccount() throws SQLException {
        throw new SQLException("there is no account for it; add primary.monitor with user and password");
    }

    /**
     * Joins. The listener is told later, never by the calling thread.
     *
     * @throws IllegalStateException when the feed is closed
     */
    public synchronized BinlogSubscription subscribe(BinlogNeeds needs, BinlogListener listener) {
        if (closed) {
            throw new IllegalStateException(
                    needs.who() + " asks for the binary log after its feed was closed; ask BinlogFeed.of again");
        }
        BinlogSubscription joining = new BinlogSubscription(this, needs, listener);
        subscribers.add(joining);
        exact |= joining.wantsEvents();
        Run running = run;
        if (running == null) {
            begin(needs.serverId());
        } else if (joining.wantsEvents() && !running.exact) {
            // Where it began is only nearly known.
            if (facts == null) {
                running.dump.stop();
                begin(running.serverId == 0 ? needs.serverId() : running.serverId);
            } else {
                submit(() -> beginAnew(running, needs, "from an exact position, for " + needs.who()));
            }
        } else if (needs.serverId() != 0 && needs.serverId() != running.serverId) {
            otherServerId(running, needs);
        }
        if (facts != null && run != null) {
            // False when it has just ended: then the gap, and later the next begin, are on their way to all
            // subscribers.
            Run streaming = run;
            streaming.dump.between(() -> streaming.admit(joining));
        } else if (trouble != null) {
            submit(() -> tellTrouble(joining));
        }
        return joining;
    }

    private void begin(long serverId) {
        Run next = new Run(serverId);
        run = next;
        next.dump.start();
    }

    private void otherServerId(Run running, BinlogNeeds needs) {
        if (running.serverId != 0) {
            log.warn(
                    "{} asks for server id {}, but the binary log is read as server id {}, which another plugin has"
                            + " asked for; give both the same",
                    needs.who(),
                    needs.serverId(),
                    running.serverId);
        } else if (facts == null) {
            running.dump.stop();
            begin(needs.serverId());
        } else {
            submit(() -> beginAnew(
                    running, needs, "as server id " + needs.serverId() + ", which " + needs.who() + " asks for"));
        }
    }

    private synchronized void beginAnew(Run running, BinlogNeeds needs, String how) {
        if (run != running) {
            return;
        }
        running.dump.stop();
        String why = "it is read anew " + how;
        log.info("the binary log: {}", why);
        facts = null;
        BinlogTrouble missing = new BinlogTrouble(BinlogTrouble.Reason.SERVER_ID, why);
        trouble = missing;
        // Not those that wait to be let in: they miss nothing.
        List.of(readers).forEach(reader -> reader.gap(missing));
        refresh();
        begin(needs.serverId() == 0 ? running.serverId : needs.serverId());
    }

    private synchronized void tellTrouble(BinlogSubscription joining) {
        BinlogTrouble present = trouble;
        if (present != null && !joining.told() && subscribers.contains(joining)) {
            joining.gap(present);
        }
    }

    private void submit(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("the proxy is stopping: nobody is told of the binary log any more");
        }
    }

    synchronized void leave(BinlogSubscription leaving) {
        if (!subscribers.remove(leaving)) {
            return;
        }
        if (subscribers.isEmpty()) {
            end();
        }
        refresh();
    }

    private void end() {
        Run last = run;
        if (last != null) {
            last.dump.stop();
            log.debug("the binary log is read no more: nobody asks for it");
        }
        run = null;
        facts = null;
        trouble = null;
    }

    /** Ends the stream; subscribers that are left are told nothing more. */
    @Override
    public synchronized void close() {
        closed = true;
        subscribers.clear();
        end();
        refresh();
    }

    private void refresh() {
        readers = subscribers.stream().filter(BinlogSubscription::reading).toArray(BinlogSubscription[]::new);
        tables = subscribers.stream()
                .anyMatch(
                        subscriber -> subscriber.reading() && subscriber.needs().tables());
        events = subscribers.stream().anyMatch(subscriber -> subscriber.reading() && subscriber.wantsEvents());
        exact = subscribers.stream().anyMatch(BinlogSubscription::wantsEvents);
    }

    private synchronized void retire(BinlogSubscription faulty) {
        if (faulty.reading() && subscribers.contains(faulty)) {
            faulty.out();
            refresh();
        }
    }

    /** The least of what the readers allow. Each is asked each time, since what it allows may depend on when it was asked. */
    private long rest() {
        long least = Long.MAX_VALUE;
        BinlogSubscription[] asked = readers;
        for (BinlogSubscription reader : asked) {
            long allowed = reader.rest();
            if (allowed >= 0) {
                least = Math.min(least, allowed);
            } else {
                retire(reader);
            }
        }
        return least == Long.MAX_VALUE ? BinlogDump.REST.toNanos() : least;
    }

    /** One dump connection and what it tells, from its start to its stop. What it says after that is ignored. */
    private final class Run implements BinlogListener, BinlogEvents {
        private final long serverId;
        private final boolean exact;
        private final BinlogDump dump;
        /** Of the events now; on the event loop, and null before the first has come. */
        private byte @Nullable [] format;

        private Run(long serverId) {
            this.serverId = serverId;
            exact = BinlogFeed.this.exact;
            dump = new BinlogDump(
                    connector,
                    questions,
                    executor,
                    nanoClock,
                    serverId,
                    () -> tables,
                    BinlogFeed.this::rest,
                    new BinlogDump.Bytes(() -> exact, () -> events, this),
                    this);
        }

        @Override
        public void onStart(PrimaryFacts told, boolean replaced) {
            synchronized (BinlogFeed.this) {
                if (run == this) {
                    facts = told;
                    trouble = null;
                    List.copyOf(subscribers).forEach(subscriber -> subscriber.start(told, replaced));
                    refresh();
                }
            }
        }

        @Override
        public void onGap(BinlogTrouble why) {
            synchronized (BinlogFeed.this) {
                if (run == this) {
                    facts = null;
                    trouble = why;
                    // A copy, as a listener may leave when it is told.
                    List.copyOf(subscribers).forEach(subscriber -> subscriber.gap(why));
                    refresh();
                }
            }
        }

        @Override
        public void onTransaction(BinlogTransaction transaction) {
            BinlogSubscription[] told = readers;
            for (BinlogSubscription reader : told) {
                if (!reader.transaction(transaction)) {
                    retire(reader);
                }
            }
        }

        @Override
        public void onFormat(byte[] event) {
            format = event;
            BinlogSubscription[] told = readers;
            for (BinlogSubscription reader : told) {
                if (!reader.format(event)) {
                    retire(reader);
                }
            }
        }

        @Override
        public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
            BinlogSubscription[] told = readers;
            for (BinlogSubscription reader : told) {
                if (!reader.event(buf, index, length, first, whole)) {
                    retire(reader);
                }
            }
        }

        /** On the event loop, between two transactions. */
        private void admit(BinlogSubscription joining) {
            synchronized (BinlogFeed.this) {
                PrimaryFacts streaming = facts;
                if (run == this && streaming != null && !joining.reading() && subscribers.contains(joining)) {
                    joining.start(dump.at(streaming), false);
                    byte[] present = format;
                    if (present != null) {
                        joining.format(present);
                    }
                    refresh();
                }
            }
        }
    }
}
