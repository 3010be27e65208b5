package io.understudy.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.understudy.config.Address;
import io.understudy.config.PrimaryConfig;
import io.understudy.connection.NameLookup;
import io.understudy.plugin.AccountUse;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the candidates for the primary and follows the only writable one. If two are writable, or none, it reports
 * that and changes nothing. Thread-safe.
 */
public final class Candidates implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Candidates.class);

    /** Interval between probes of one candidate while all is clear. */
    static final Duration CALM = Duration.ofSeconds(1);

    /** Interval while it is not. */
    static final Duration ALERT = Duration.ofMillis(250);

    /** The state of a candidate, by its probes. */
    enum Role {
        /** Not probed yet. */
        UNKNOWN,
        WRITABLE,
        READ_ONLY,
        /** It refuses connections, or has been silent for {@link PrimaryMonitor#SILENCE}. */
        UNREACHABLE,
        /** It is alive and cannot be queried: {@link ProbeFailure#isAlive}. */
        UNCLEAR;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The state of all candidates together. */
    enum Verdict {
        /** Not all probed yet, or there are no candidates. */
        PENDING,
        ONE,
        SPLIT,
        NONE,
        /** The present primary is alive and cannot be queried. */
        UNCLEAR;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final PrimaryAddress address;
    private final Function<Address, PrimaryProbe> probes;
    private final @Nullable AccountHealth account;
    private final ScheduledExecutorService executor;

    /** Guarded by this, as the next ones. */
    private final Map<Address, Member> members = new LinkedHashMap<>();

    /** Time since which two are writable by their last probes; 0 while they are not. */
    private long doubtedNanos;

    /** The verdict that was logged last. */
    private Verdict told = Verdict.PENDING;

    /** When an operator was last admitted to choose the primary. */
    private long chosenNanos = System.nanoTime();

    /** Whether {@link #watch} has been called. */
    private boolean started;

    /** Whether the address is a server that was the primary, and not the first candidate in place of one. */
    private volatile boolean known;

    /** Whether clients have been let in to the first one though it could not be queried. */
    private volatile boolean served;

    /** Why none is known to be the primary since the start, though one is writable or may be; null if there is one. */
    private volatile @Nullable String unchosen;

    private volatile Runnable afterDecision = () -> {};
    private volatile Function<Address, @Nullable Boolean> readOnlyByStandbys = at -> null;
    private volatile Verdict verdict = Verdict.PENDING;
    private volatile String explanation = "";

    /** @param queries runs queries that may hang */
    public Candidates(
            PrimaryAddress address,
            PrimaryConfig config,
            @Nullable LiveAccount account,
            NameLookup names,
            MeterRegistry registry,
            ScheduledExecutorService executor,
            Executor queries) {
        this(
                address,
                candidate -> probe(candidate, config, account, names, queries),
                account == null ? null : account.health(),
                registry,
                executor);
    }

    /** @param probes creates the probe of a candidate */
    Candidates(
            PrimaryAddress address,
            Function<Address, PrimaryProbe> probes,
            @Nullable AccountHealth account,
            MeterRegistry registry,
            ScheduledExecutorService executor) {
        this.address = address;
        this.probes = probes;
        this.account = account;
        this.executor = executor;
        Gauge.builder("understudy.primary.candidates.writable", this, Candidates::writableGauge)
                .description("Writable candidates: 1 as it should be, 0 none, 2 split; NaN without candidates")
                .register(registry);
    }

    private static PrimaryProbe probe(
            Address at, PrimaryConfig config, @Nullable LiveAccount account, NameLookup names, Executor queries) {
        if (account == null) {
            return () -> {
                throw new SQLException("there is no account for it; restart with primary.monitor");
            };
        }
        return new JdbcPrimaryProbe(() -> at, config, account::credentials, names, queries);
    }

    private synchronized double writableGauge() {
        return members.isEmpty() ? Double.NaN : withRole(Role.WRITABLE).size();
    }

    /** Watches these from now on, instead of those before. */
    public synchronized void watch(List<Address> all) {
        known |= all.isEmpty() || started && members.isEmpty();
        started = true;
        if (List.copyOf(members.keySet()).equals(all)) {
            return;
        }
        for (Address gone : List.copyOf(members.keySet())) {
            if (!all.contains(gone)) {
                member(gone).close();
                members.remove(gone);
            }
        }
        verdict = Verdict.PENDING;
        told = Verdict.PENDING;
        for (Address candidate : all) {
            if (!members.containsKey(candidate)) {
                Member member = new Member(candidate);
                members.put(candidate, member);
                member.polling.start();
            }
        }
        decide();
    }

    /** Sets what is called after each probe, on its thread. Must not wait. */
    public void afterDecision(Runnable listener) {
        afterDecision = listener;
    }

    /**
     * Sets how to find out by another account, that of {@code standbys}, whether a server is read-only; null: not
     * known. Must not wait.
     */
    public void askStandbys(Function<Address, @Nullable Boolean> readOnly) {
        readOnlyByStandbys = readOnly;
    }

    /** Waits until each candidate has been probed once, but no longer than {@code limit}. */
    public synchronized void awaitFirst(Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!withRole(Role.UNKNOWN).isEmpty()) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return;
            }
            wait(left);
        }
    }

    /**
     * Decides whether an operator may choose the primary: only where the candidates' roles do not.
     *
     * @return whether it is one of those that {@link #unchosen} names and cannot be queried, as its probes have told
     *     for a while, so that one more would tell nothing
     * @throws IllegalArgumentException if they do, or it is no candidate; the message says what to do
     */
    public synchronized boolean admit(Address chosen) {
        if (members.isEmpty()) {
            return false;
        }
        Member member = members.get(chosen);
        if (member == null) {
            throw new IllegalArgumentException(
                    chosen + " is not in primary.candidates " + members.keySet() + "; add it there and reload");
        }
        List<Address> writable = withRole(Role.WRITABLE);
        // Beside a present primary that cannot be queried no writable one is followed.
        List<Address> choice = unchosen != null || verdict == Verdict.UNCLEAR ? possible() : writable;
        if (!writable.isEmpty() && !choice.contains(chosen)) {
            if (choice.size() > 1) {
                throw new IllegalArgumentException(chosen + " is " + member.role.label() + "; choose one of " + choice);
            }
            // In a planned change the last probes may be older than the change.
            members.values().forEach(each -> each.polling.soon());
            throw new IllegalArgumentException(chosen + " is " + member.role.label() + " and " + writable.get(0)
                    + " is writable: of primary.candidates the writable one is the primary; make " + writable.get(0)
                    + " read-only and " + chosen + " writable, and the proxy follows");
        }
        chosenNanos = System.nanoTime(); // before the change, for a probe that ends in between
        return unchosen != null && member.role == Role.UNCLEAR && choice.contains(chosen);
    }

    /** Called when an operator has chosen one. */
    public synchronized void chosen() {
        if (!known && address.isFirst()) {
            begin(address.get(), "an operator has chosen it", true);
        }
        known = true;
        decide();
    }

    private void begin(Address at, String why, boolean mayFollow) {
        known = true; // before the listeners connect to it
        address.begin(at, why, mayFollow);
    }

    /**
     * Returns why nothing of a primary is to be read: no candidate has been writable since this process started, so
     * that the address is a standby's, or a dead server's. Null otherwise.
     */
    public @Nullable String unknown() {
        return known || served && verdict == Verdict.UNCLEAR && unchosen == null
                ? null
                : "none of primary.candidates has been the only writable one since this process started, so which one"
                        + " is the primary is not known";
    }

    /**
     * Returns why no client may be let in: a process that starts while several candidates are or may be writable does
     * not know which of them is the primary of the other proxies, and half of the writes would be lost with the wrong
     * one. Null otherwise.
     */
    public @Nullable String unchosen() {
        return unchosen;
    }

    /** Returns why it is not known which candidate is the primary; null when it is, or without candidates. */
    public @Nullable String problem() {
        return verdict == Verdict.PENDING || verdict == Verdict.ONE ? null : explanation;
    }

    /** Returns whether no candidate is writable. */
    public boolean none() {
        return verdict == Verdict.NONE;
    }

    /** Returns the verdict in a word. */
    public String verdictLabel() {
        return verdict.label();
    }

    /** Returns each candidate with its role. */
    public synchronized List<Map<String, Object>> view() {
        List<Map<String, Object>> view = new ArrayList<>();
        members.forEach((candidate, member) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("address", candidate.toString());
            row.put("role", member.role.label());
            if (member.problem != null) {
                row.put("problem", member.problem);
            }
            view.add(row);
        });
        return view;
    }

    private List<Address> withRole(Role role) {
        return members.entrySet().stream()
                .filter(entry -> entry.getValue().role == role)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Called after each probe. */
    private synchronized void decide() {
        notifyAll();
        Address present = address.get();
        Member its = members.get(present);
        List<Address> unprobed = withRole(Role.UNKNOWN);
        List<Address> writable = withRole(Role.WRITABLE);
        List<Address> possible = possible();
        boolean starting = !known && address.isFirst();
        boolean standby = its != null && its.wasReadOnly; // another one may have been promoted since
        served &= !standby;
        boolean serves = !starting || served && possible.contains(present) && writable.size() < 2;
        if (members.isEmpty() || !unprobed.isEmpty()) {
            unchosen = serves || members.isEmpty()
                    ? null
                    : "which of primary.candidates is the primary is not known yet: the first response of " + unprobed
                            + " is awaited";
            return;
        }
        unchosen = serves || possible.size() < 2 ? null : unchosen(possible);
        if (writable.size() < 2) {
            doubtedNanos = 0;
        }
        String refusal = unchosen;
        if (writable.size() > 1) {
            decideSplit(writable, present);
        } else if (refusal != null) {
            conclude(Verdict.UNCLEAR, "unclear: " + refusal);
        } else if (its != null && its.role == Role.UNCLEAR && (!starting || possible.contains(present))) {
            served |= !standby && !its.refusesHost;
            conclude(
                    Verdict.UNCLEAR,
                    "unclear: " + present + " is alive, but whether it is writable cannot be found out ("
                            + its.problem
                            + "); the proxy stays with it, and follows no failover until primary.monitor can query it");
        } else if (writable.isEmpty()) {
            conclude(
                    Verdict.NONE,
                    "none of the candidates is writable (" + roles() + "); the proxy stays with " + present
                            + ". If no other server has been promoted since, and the primary is there, which replicates"
                            + " from none: SET GLOBAL read_only=0 there; if it is lost: understudy failover --to NAME,"
                            + " which brings a standby what it lacks before it is promoted");
        } else {
            Address only = writable.get(0);
            if (!only.equals(present) && its != null && its.toldNanos - chosenNanos < 0) {
                // Read-only by a probe from before it was promoted and chosen: an old primary that comes back is not
                // it.
                its.polling.soon();
                return;
            }
            conclude(Verdict.ONE, only + " is writable");
            String why = "of the candidates it is the writable one (" + roles() + ")";
            if (!known && address.isFirst() && (!only.equals(present) || mayFollow(only))) {
                begin(only, why, !withRole(Role.UNREACHABLE).isEmpty());
            } else {
                address.change(only, PrimaryAddress.Reason.CANDIDATE, why);
            }
            known = true;
        }
    }

    /** Returns those that are or may be writable: what says nothing is down, as a primary that has crashed. */
    private List<Address> possible() {
        return members.values().stream()
                .filter(member -> member.role == Role.WRITABLE
                        || member.role == Role.UNCLEAR && !Boolean.TRUE.equals(readOnlyByStandbys.apply(member.at)))
                .map(member -> member.at)
                .toList();
    }

    private String unchosen(List<Address> possible) {
        List<String> unclear = new ArrayList<>();
        String all = possible.stream()
                .map(each -> {
                    if (member(each).role == Role.WRITABLE) {
                        return each + " is writable";
                    }
                    unclear.add(each.toString());
                    return each + " is alive, and primary.monitor cannot query it (" + member(each).problem + ")";
                })
                .collect(Collectors.joining("; "));
        return "which of primary.candidates is the primary is not known since this process started: " + all + "; "
                + (unclear.isEmpty()
                        ? "make all but one read-only, or choose one: POST /api/primary"
                        : "let primary.monitor query " + String.join(" and ", unclear)
                                + ", take that out of primary.candidates, or choose one: POST /api/primary");
    }

    /** In a planned change the last probe of the one may be older than the change: both are probed again before. */
    private void decideSplit(List<Address> writable, Address present) {
        if (doubtedNanos == 0) {
            doubtedNanos = System.nanoTime();
            writable.forEach(candidate -> member(candidate).polling.soon());
            return;
        }
        if (writable.stream().allMatch(candidate -> member(candidate).toldNanos - doubtedNanos > 0)) {
            conclude(
                    Verdict.SPLIT,
                    "split: " + writable.stream().map(Address::toString).collect(Collectors.joining(" and "))
                            + " are all writable; the proxy stays with " + present
                            + ". Make all but one read-only: SET GLOBAL read_only=1 (MySQL: super_read_only)");
        }
    }

    /** One that does not respond may have been the primary before a candidate that was read-only. */
    private boolean mayFollow(Address only) {
        return member(only).wasReadOnly && !withRole(Role.UNREACHABLE).isEmpty();
    }

    private Member member(Address candidate) {
        return Objects.requireNonNull(members.get(candidate));
    }

    private String roles() {
        return members.entrySet().stream()
                .map(entry -> entry.getKey() + " is " + entry.getValue().role.label())
                .collect(Collectors.joining(", "));
    }

    private void conclude(Verdict now, String why) {
        verdict = now;
        explanation = why;
        if (now == told || now != Verdict.ONE && address.isChangePlanned()) {
            return; // after a planned change the next probe concludes again
        }
        told = now;
        if (now == Verdict.ONE) {
            log.info("primary.candidates: {}", why);
        } else {
            log.warn("primary.candidates: {}", why);
        }
    }

    @Override
    public synchronized void close() {
        members.values().forEach(Member::close);
        members.clear();
    }

    /** One candidate. Written under the lock, but for its own probe. */
    private final class Member {
        private final Address at;
        private final String function;
        private final AccountUse use;
        private final PrimaryProbe probe;
        private final Polling polling;
        private Role role = Role.UNKNOWN;
        private @Nullable String problem;
        private long lastSignNanos = System.nanoTime();
        /** The same without late answers, which tell only that it is alive. */
        private long lastAnswerNanos = lastSignNanos;
        /** Whether it may have been a standby since the start, and not only down. */
        private boolean wasReadOnly;
        /** Whether it lets nobody of this host in, so that no client can be with it. */
        private boolean refusesHost;
        /** Begin of the last probe that told its role. */
        private long toldNanos;

        Member(Address at) {
            this.at = at;
            this.function = "following the candidates: whether " + at + " is writable";
            this.use = account == null ? AccountUse.NONE : account.use(function);
            this.probe = probes.apply(at);
            this.polling = new Polling(executor, () -> (verdict == Verdict.ONE ? CALM : ALERT).toNanos(), this::probe);
        }

        private void probe() {
            long start = System.nanoTime();
            Role found;
            String why = null;
            Exception failure = null;
            ProbeFailure kind = null;
            try {
                PrimaryProbe.Result result = probe.run();
                found = Boolean.FALSE.equals(result.readOnly()) ? Role.WRITABLE : Role.READ_ONLY;
                use.works();
            } catch (SQLException | IOException e) {
                why = ProbeFailure.reason(e);
                failure = e;
                kind = ProbeFailure.of(e);
                found = kind.isAlive() ? Role.UNCLEAR : Role.UNREACHABLE;
            }
            if (polling.stopped()) {
                return;
            }
            if (kind == ProbeFailure.ACCOUNT && account != null && failure != null) {
                account.refused(function, at.equals(address.get()) ? null : "candidate " + at, failure);
            }
            synchronized (Candidates.this) {
                long now = System.nanoTime();
                long silence = PrimaryMonitor.SILENCE.toNanos();
                if (found != Role.UNREACHABLE) {
                    lastSignNanos = now;
                    lastAnswerNanos = kind == ProbeFailure.LATE ? lastAnswerNanos : now;
                }
                boolean busy = kind == ProbeFailure.SILENT || kind == ProbeFailure.LATE;
                if (!busy || now - lastAnswerNanos >= silence) {
                    // A late answer is preceded by silent probes, and followed by those of the next login.
                    role = kind == ProbeFailure.SILENT && now - lastSignNanos < silence ? Role.UNCLEAR : found;
                    refusesHost = kind == ProbeFailure.HOST;
                    toldNanos = start;
                }
                wasReadOnly |= role == Role.READ_ONLY;
                problem = why;
                decide();
            }
            afterDecision.run();
        }

        private void close() {
            polling.stop();
            probe.close();
        }

        @Override
        public String toString() {
            return at + " " + role;
        }
    }
}
