package io.understudy.plugins.binlog;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.AccountUse;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerConnector;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The primary's binary log, read once for all its subscribers. The one dump connection begins with the first subscriber
 * and ends with the last. Other subscribers come and go without affecting it, unless one needs a server id of its own
 * or an exact position.
 *
 * <p>Each subscriber's listener is called as if the stream were its own: {@code onStart} and transactions on the dump
 * connection's event loop, {@code onGap} there, on this feed's executor, or where a lent stream is taken back. A
 * subscriber that joins a running stream receives {@code onStart} between two transactions and then every transaction;
 * one that joins while there is no stream receives the reason.
 *
 * <p>A connection that has to read the log as it arrives anyway, such as a semi-synchronous replica's, lends its
 * stream: then the server sends the log once.
 *
 * <p>Thread-safe. Listeners are called under this feed's lock for the stream's begin and end, and without it for
 * transactions of the feed's own connection.
 */
public final class BinlogFeed implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BinlogFeed.class);
    private static final BinlogSubscription[] NOBODY = {};
    private static final byte[] NO_FORMAT = {};
    private static final int MOST_FROM_BEGIN = 3;

    private static final String FUNCTION = "the binary log (black box, lag by domain, parts of the commit time)";

    private final ServerConnector connector;
    private final PrimaryQueries queries;
    private final AccountUse account;
    private final ScheduledExecutorService executor;
    private final LongSupplier nanoClock;

    private final List<BinlogSubscription> subscribers = new ArrayList<>();
    private volatile BinlogSubscription[] readers = NOBODY;
    private volatile boolean tables;
    /** Whether an admitted subscriber needs the events' bytes. */
    private volatile boolean events;
    /** Whether any subscriber, admitted or not, needs the events' bytes. */
    private volatile boolean exact;

    private final List<AutoCloseable> following = new ArrayList<>();
    /** The current dump; an unstarted placeholder while nobody subscribes. */
    private Run run;

    private FeedState state = new FeedState.Unknown();
    private boolean closed;

    /**
     * @param account where refusals of the account are reported
     * @param nanoClock monotonic, the clock that stamps packets
     */
    BinlogFeed(
            ServerConnector connector,
            PrimaryQueries queries,
            AccountUse account,
            ScheduledExecutorService executor,
            LongSupplier nanoClock) {
        this.account = account;
        this.connector = connector;
        this.queries = queries;
        this.executor = executor;
        this.nanoClock = nanoClock;
        this.run = new Run(0);
    }

    /** Returns the proxy's one feed. Called when a plugin starts; connects nothing before {@link #subscribe}. */
    public static BinlogFeed of(PluginContext context) {
        return context.shared(BinlogFeed.class, shared -> {
            DataSource source = shared.primary().dataSource();
            PrimaryQueries queries = source == null
                    ? BinlogFeed::noAccount
                    : new JdbcPrimaryQueries(source, shared.primary()::isUnreachable);
            BinlogFeed feed = new BinlogFeed(
                    shared.primary().connector(),
                    queries,
                    shared.primary().accountUse(FUNCTION),
                    shared.executor(),
                    System::nanoTime);
            feed.following.add(shared.primary().onChange(feed::primaryChanged));
            feed.following.add(shared.primary().onReachable(feed::primaryReachable));
            return feed;
        });
    }

    private static PrimaryFacts noAccount() throws SQLException {
        throw new SQLException("there is no account for it; add primary.monitor with user and password");
    }

    /**
     * Adds a subscriber. Its listener is called later, never by the calling thread.
     *
     * @throws IllegalStateException if the feed is closed
     */
    public synchronized BinlogSubscription subscribe(BinlogNeeds needs, BinlogListener listener) {
        if (closed) {
            throw new IllegalStateException(needs.subscriber()
                    + " subscribes to the binary log after its feed was closed; call BinlogFeed.of again");
        }
        BinlogSubscription joining = new BinlogSubscription(this::leave, needs, listener);
        subscribers.add(joining);
        exact |= joining.wantsEvents();
        if (state instanceof FeedState.Lent) {
            submit(() -> joinLent(joining));
            return joining;
        }
        Run running = run;
        if (!running.started) {
            begin(needs.serverId());
        } else if (joining.wantsEvents() && !running.exact) {
            // The running stream's start position is only approximately known.
            restart(
                    running,
                    running.serverId == 0 ? needs.serverId() : 0,
                    "it is read from an exact position, for " + needs.subscriber());
        } else if (needs.serverId() != 0 && needs.serverId() != running.serverId) {
            otherServerId(running, needs);
        }
        if (streaming()) {
            // False if the stream has just ended: all subscribers will then receive the gap, and later the next begin.
            Run streaming = run;
            streaming.dump.between(() -> streaming.admit(joining));
        } else if (state instanceof FeedState.Missing) {
            submit(() -> reportTrouble(joining));
        }
        return joining;
    }

    /**
     * Has all subscribers receive what another connection of this proxy reads as it arrives, and reads nothing itself
     * until {@link #takeBack}. Without effect if it is lent already, or a subscriber needs more than the transactions'
     * arrival: what it does with tables would hold up that connection. Called on that connection's event loop, between
     * two transactions.
     *
     * @param from the primary's facts, at the position from which that connection goes on
     */
    public synchronized void lend(PrimaryFacts from) {
        if (closed || subscribers.stream().anyMatch(BinlogFeed::needsMore) || state instanceof FeedState.Lent) {
            return;
        }
        if (run.started) {
            run.dump.stop();
        }
        run = new Run(0);
        ends(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "another connection of the proxy reads it"));
        account.works();
        state = new FeedState.Lent(from, StreamPosition.parse(from.flavor(), from.position()));
        List.copyOf(subscribers).forEach(subscriber -> subscriber.start(from));
        refresh();
    }

    /** Passes on a transaction of the connection that it is lent to. Called on that connection's event loop. */
    public void lent(BinlogTransaction transaction) {
        synchronized (this) { // who joins meanwhile misses none
            if (!(state instanceof FeedState.Lent lent)) {
                return;
            }
            lent.reached().passed(transaction);
            pass(transaction);
        }
    }

    /** Reads the log itself again, if it was lent and has subscribers. On any thread; calls their listeners. */
    public synchronized void takeBack(String why) {
        if (!(state instanceof FeedState.Lent)) {
            return;
        }
        ends(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, why));
        if (subscribers.isEmpty()) {
            state = new FeedState.Unknown();
        } else {
            begin(subscribers.stream()
                    .mapToLong(each -> each.needs().serverId())
                    .filter(id -> id != 0)
                    .findFirst()
                    .orElse(0));
        }
    }

    private static boolean needsMore(BinlogSubscription subscriber) {
        return subscriber.wantsEvents() || subscriber.needs().tables();
    }

    private synchronized void joinLent(BinlogSubscription joining) {
        if (!(state instanceof FeedState.Lent lent) || joining.informed() || !subscribers.contains(joining)) {
            return;
        }
        if (needsMore(joining)) {
            takeBack(joining.needs().subscriber() + " needs more of it");
        } else {
            joining.start(lent.reached().of(lent.began()));
            refresh();
        }
    }

    /** Subscribers not admitted yet miss nothing. */
    private void ends(BinlogTrouble missing) {
        state = new FeedState.Missing(missing);
        List.of(readers).forEach(reader -> reader.gap(missing));
        refresh();
    }

    private void begin(long serverId) {
        run = new Run(serverId);
        run.start();
    }

    private void otherServerId(Run running, BinlogNeeds needs) {
        if (running.serverId != 0) {
            log.warn(
                    "{} requests server id {}, but the binary log is read as server id {}, which another plugin has"
                            + " requested; configure the same for both",
                    needs.subscriber(),
                    needs.serverId(),
                    running.serverId);
        } else {
            restart(
                    running,
                    needs.serverId(),
                    "it is read as server id " + needs.serverId() + ", which " + needs.subscriber() + " requests");
        }
    }

    /** @param serverId 0 for that of the present stream */
    private void restart(Run running, long serverId, String why) {
        if (streaming()) {
            submit(() -> beginAnew(running, serverId, why));
        } else {
            running.dump.stop();
            begin(serverId == 0 ? running.serverId : serverId);
        }
    }

    /** Ends the stream if there is one, and begins another one at once. On any thread; does not wait. */
    public synchronized void readAnew(String why) {
        if (streaming()) {
            restart(run, 0, why);
        } else {
            primaryReachable(); // it has ended by itself
        }
    }

    /** @param serverId 0 for that of the present stream */
    private synchronized void beginAnew(Run running, long serverId, String why) {
        if (run != running) {
            return;
        }
        running.dump.stop();
        log.info("the binary log: {}", why);
        BinlogTrouble missing = new BinlogTrouble(
                serverId == 0 ? BinlogTrouble.Reason.CONNECTION : BinlogTrouble.Reason.SERVER_ID, why);
        ends(missing);
        begin(serverId == 0 ? running.serverId : serverId);
    }

    private synchronized void reportTrouble(BinlogSubscription joining) {
        if (!joining.informed() && subscribers.contains(joining) && state instanceof FeedState.Missing missing) {
            joining.gap(missing.trouble());
        }
    }

    private boolean beganAnew(PrimaryFacts facts) {
        List<BinlogSubscription> all;
        synchronized (this) {
            all = List.copyOf(subscribers);
        }
        return all.stream().anyMatch(each -> each.isAnew(facts));
    }

    /** Returns whether transactions arrive. */
    private boolean streaming() {
        return state instanceof FeedState.Streaming;
    }

    private synchronized void primaryChanged() {
        if (run.started) {
            submit(run.dump::primaryChanged);
        }
    }

    /** Ends a pause of the stream: the primary responds. Thread-safe; does not wait. */
    public synchronized void primaryReachable() {
        if (run.started) {
            submit(run.dump::primaryReachable);
        }
    }

    private void submit(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("the proxy is stopping: the listeners of the binary log are not called any more");
        }
    }

    private synchronized void leave(BinlogSubscription leaving) {
        if (!subscribers.remove(leaving)) {
            return;
        }
        if (subscribers.isEmpty()) {
            end();
        }
        refresh();
    }

    private void end() {
        if (run.started) {
            run.dump.stop();
            log.debug("the binary log is no longer read: it has no subscribers");
        }
        run = new Run(0);
        if (!(state instanceof FeedState.Lent)) {
            state = new FeedState.Unknown();
        }
    }

    private void pass(BinlogTransaction transaction) {
        BinlogSubscription[] all = readers;
        for (BinlogSubscription reader : all) {
            if (!reader.transaction(transaction)) {
                retire(reader);
            }
        }
    }

    /** Ends the stream. The remaining subscribers' listeners are not called again. */
    @Override
    public synchronized void close() {
        closed = true;
        stopFollowing();
        subscribers.clear();
        end();
        refresh();
    }

    private void stopFollowing() {
        for (AutoCloseable handle : following) {
            try {
                handle.close();
            } catch (Exception e) {
                throw new IllegalStateException("a listener cannot be removed", e);
            }
        }
        following.clear();
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
            faulty.exclude();
            refresh();
        }
    }

    /**
     * Returns the shortest rest that any reader allows. Every reader is called every time, because its result may
     * depend on when it was last called.
     */
    private long rest() {
        long least = Long.MAX_VALUE;
        BinlogSubscription[] all = readers;
        for (BinlogSubscription reader : all) {
            long allowed = reader.rest();
            if (allowed >= 0) {
                least = Math.min(least, allowed);
            } else {
                retire(reader);
            }
        }
        return least == Long.MAX_VALUE ? BinlogDump.REST.toNanos() : least;
    }

    /** One dump connection from its start to its stop. Its later events are ignored. */
    private final class Run implements BinlogListener, BinlogEvents {
        private final long serverId;
        private final boolean exact;
        private final BinlogDump dump;
        private boolean started;
        /** How often it has begun where a log that had begun anew does. */
        private final AtomicInteger fromBegin = new AtomicInteger();
        /** Describes the current events. Used on the event loop. */
        private byte[] format = NO_FORMAT;

        private Run(long serverId) {
            PrimaryQueries begins = new PrimaryQueries() {
                @Override
                public PrimaryFacts facts() throws SQLException {
                    PrimaryFacts facts = queries.facts();
                    // MariaDB refuses it while it resets; and it may be purged already.
                    return beganAnew(facts) && fromBegin.incrementAndGet() <= MOST_FROM_BEGIN ? facts.at("") : facts;
                }

                @Override
                public boolean isUnreachable() {
                    return queries.isUnreachable();
                }
            };
            this.serverId = serverId;
            exact = BinlogFeed.this.exact;
            dump = new BinlogDump(
                    new DumpSettings(
                            BinlogDump.HEARTBEAT,
                            connector,
                            begins,
                            nanoClock,
                            new ServerIds(serverId),
                            () -> tables,
                            BinlogFeed.this::rest,
                            new BinlogDump.Bytes(() -> exact, () -> events, this),
                            null,
                            this),
                    executor);
        }

        private void start() {
            started = true;
            dump.start();
        }

        @Override
        public void onStart(PrimaryFacts began) {
            synchronized (BinlogFeed.this) {
                if (run == this) {
                    account.works();
                    state = new FeedState.Streaming(began);
                    List.copyOf(subscribers).forEach(subscriber -> subscriber.start(began));
                    refresh();
                }
            }
        }

        @Override
        public void onGap(BinlogTrouble why) {
            synchronized (BinlogFeed.this) {
                if (run == this) {
                    account.refused(why.errorCode(), why.cause());
                    state = new FeedState.Missing(why);
                    // A copy, because a listener may leave during the call.
                    List.copyOf(subscribers).forEach(subscriber -> subscriber.gap(why));
                    refresh();
                }
            }
        }

        @Override
        public void onTransaction(BinlogTransaction transaction) {
            pass(transaction);
        }

        @Override
        public void onFormat(byte[] event) {
            format = event;
            BinlogSubscription[] all = readers;
            for (BinlogSubscription reader : all) {
                if (!reader.format(event)) {
                    retire(reader);
                }
            }
        }

        @Override
        public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
            BinlogSubscription[] all = readers;
            for (BinlogSubscription reader : all) {
                if (!reader.event(buf, index, length, first, whole)) {
                    retire(reader);
                }
            }
        }

        /** Called on the event loop between two transactions. */
        private void admit(BinlogSubscription joining) {
            synchronized (BinlogFeed.this) {
                if (run == this
                        && state instanceof FeedState.Streaming streaming
                        && !joining.reading()
                        && subscribers.contains(joining)) {
                    joining.start(dump.at(streaming.began()));
                    if (format != NO_FORMAT) {
                        joining.format(format);
                    }
                    refresh();
                }
            }
        }
    }
}
