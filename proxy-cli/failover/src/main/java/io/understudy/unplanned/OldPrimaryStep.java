package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.connection.NameLookup;
import io.understudy.server.PrimaryState;
import io.understudy.servers.ReportedPosition;
import io.understudy.switchover.Node;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that the old primary gives no sign of life, here and to each proxy, or fences it if that is asked for. Used
 * by one thread.
 */
final class OldPrimaryStep implements Step {
    /** A proxy finds out with its next probe: each second, and after three without a response. */
    private static final Duration PATIENCE = Duration.ofSeconds(6);

    private static final Duration RESPONSE = Duration.ofSeconds(3);
    /** For what has a lock. */
    private static final Duration LOCKED = Duration.ofSeconds(2);
    /** For commits that are not acknowledged: longer than the default of semi-sync's timeout, 10 s. */
    private static final Duration UNACKNOWLEDGED = Duration.ofSeconds(12);

    private static final int ER_LOCK_WAIT_TIMEOUT = 1205;
    private static final long PAUSE_MILLIS = 200;
    private static final @Nullable String NOT_YET = PrimaryState.UNKNOWN.problem();

    private static final String SILENT =
            "its port accepts connections, and nothing comes: it may be frozen, and go on later";
    private static final String RESPONDS = "it responds";
    private static final String UNREACHED = "it cannot be reached from here, whether it lives or not";
    private static final String NOT_FENCED = "the old primary could NOT be made read-only: keep clients away from it"
            + " (power, network, STOP), as what is written there from now on is lost";

    private final Takeover takeover;
    private final boolean dryRun;
    private final Duration patience;
    /** Whether this has made it read-only: it responded, and is asked what it has. */
    private boolean fenced;
    /** What it has, as it has told behind the last try to fence it; null if it has told nothing. */
    private Takeover.@Nullable Has told;
    /** Whether it is promoted over although it tells nothing any more. */
    private boolean givenUp;

    OldPrimaryStep(Takeover takeover, boolean dryRun) {
        this(takeover, dryRun, PATIENCE);
    }

    OldPrimaryStep(Takeover takeover, boolean dryRun, Duration patience) {
        this.takeover = takeover;
        this.dryRun = dryRun;
        this.patience = patience;
    }

    @Override
    public String plan() {
        return takeover.options().fenced()
                ? "make the old primary read-only if it responds"
                : "ensure that the old primary does not respond, here and to each proxy";
    }

    @Override
    public String run() throws Exception {
        return run(false);
    }

    /**
     * Returns the same, right before the promotion. It fails with {@link OldPrimaryAhead} if the old primary, which may
     * have been frozen and have written since, has what the standby lacks, or was fenced and does not tell, until it is
     * given up.
     */
    Step last() {
        return Step.of(plan(), () -> run(true));
    }

    private String run(boolean last) throws Exception {
        if (!takeover.oldIsKnown()) {
            return "nobody follows it any more";
        }
        Address old = takeover.pair().primaryAddress();
        String here = sign(old);
        String signs = here.isEmpty() ? signsToProxies() : here;
        if (signs.isEmpty()) {
            return old + " does not";
        }
        boolean silent = here.equals(SILENT) || here.startsWith(UNREACHED);
        if (!here.isEmpty() && !silent && leadsToStandby()) {
            if (takeover.promoted()) {
                return old + " leads to " + takeover.name() + " now";
            }
            signs = "its address leads to " + takeover.name() + ", so that it cannot be asked";
            if (takeover.options().fenced()) {
                return signs;
            }
        }
        if (dryRun && takeover.options().fenced()) {
            return "it does (" + signs + "): it would be made read-only: "
                    + takeover.pair().dialect().readOnly();
        }
        if (takeover.options().fenced()) {
            String done = !silent ? fence() : fenced ? "the old primary was made read-only before" : NOT_FENCED;
            boolean tells = !here.isEmpty() && !silent && tells();
            if (last) {
                ensureNotAhead(tells, done);
            }
            return signs + ": " + done;
        }
        boolean promoted = takeover.promoted();
        if (promoted && isReadOnly()) {
            return old + " has come back, and is read-only";
        }
        throw new StepFailure("the old primary " + old + " is not known to be dead: " + signs + ". "
                + (promoted
                        ? takeover.name() + " was promoted before, and both may be writable"
                        : "If it lives: understudy switchover --to " + takeover.name())
                + ". If it is to be given up: keep clients away from it (power, network, STOP), and repeat this with"
                + " --fenced");
    }

    /** Asks what it has: also right behind the fence, as its power may be cut at any time. */
    private boolean tells() {
        try {
            told = takeover.oldPrimaryHas();
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    /**
     * Called when it was waited for long enough, and does not tell what it has. What the standby lacks of it fails the
     * promotion only while it responds: it can be read, or be kept as the primary. Of one that is silent for good a
     * failure brings nothing back, a hook has no second run, and that one, without this memory, would say that nothing
     * is lost. So the promotion goes on, and what is missing, or that this is not known, is said behind it.
     */
    void giveUp() {
        givenUp = true;
    }

    private void ensureNotAhead(boolean tells, String done) throws SQLException, StepFailure {
        Takeover.Has its = told;
        if (!tells && (givenUp || its == null && !fenced)) {
            return;
        }
        String more = its == null
                ? "all that is not known"
                // What it has received may not be known, which is said behind the promotion.
                : (its.position().received() == null ? its.applied() : its).lackedBy(takeover.reached());
        if (more.isEmpty()) {
            return;
        }
        if (!tells) {
            throw new OldPrimaryAhead(false, "the old primary has or may have more, and does not tell");
        }
        String name = takeover.name();
        throw new OldPrimaryAhead(
                true,
                "the old primary " + takeover.pair().primaryAddress() + " responds, and has transactions that " + name
                        + " lacks: " + more + ". " + done + ". Run this again: while it responds the black"
                        + " boxes read them. If they do not (understudy report lost --on " + name
                        + "), start the replication of " + name + " and wait until it has them; or give them up:"
                        + " stop the old primary. To keep that one instead, there: "
                        + takeover.pair().dialect().writable());
    }

    private boolean isReadOnly() {
        try {
            return takeover.pair().primary().readOnly();
        } catch (SQLException e) {
            return false; // nobody knows
        }
    }

    /** Returns whether the old primary's address, as a virtual one, has moved to the standby. */
    private boolean leadsToStandby() {
        try {
            return identity(takeover.pair().primary()).equals(identity(takeover.standby()));
        } catch (SQLException e) {
            return false; // it does not respond as the standby does
        }
    }

    static String identity(Node server) throws SQLException {
        return server.ask("its identity", ReportedPosition::of).server();
    }

    /** Returns which proxy has which sign of life of it; empty for none. */
    private String signsToProxies() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        List<AskedProxy> left = new ArrayList<>(takeover.proxies());
        while (true) {
            StringJoiner signs = new StringJoiner("; ");
            for (AskedProxy each : List.copyOf(left)) {
                Map<String, Object> view = each.view();
                if (follows(each, view) || !AskedProxy.knows(view)) {
                    left.remove(each);
                } else if (Boolean.TRUE.equals(view.get("reachable"))) {
                    // It may name the server otherwise.
                    signs.add(view.get("address") + " responds to the proxy " + each.name() + ", though not here");
                } else if (Objects.equals(NOT_YET, view.get("problem"))) {
                    signs.add("the proxy " + each.name() + " has not probed " + view.get("address") + " yet");
                } else {
                    left.remove(each);
                }
            }
            if (left.isEmpty() || System.nanoTime() - begun > patience.toNanos()) {
                return signs.toString();
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** Returns whether the standby is a proxy's primary already, under whatever name. */
    private boolean follows(AskedProxy proxy, Map<String, Object> view) throws IOException, InterruptedException {
        return takeover.pair().standbyAddress().toString().equals(view.get("address"))
                || proxy.control().namesOfPrimary().contains(takeover.name());
    }

    /**
     * Returns the sign of life that a server gives, or why that is not known; empty if its machine refuses connections
     * at its address. A port that accepts them and says nothing is a sign: a frozen server may go on.
     */
    static String sign(Address address) {
        if (address.isUnix()) {
            return Files.exists(Path.of(address.path())) ? "its socket file is there" : "";
        }
        try {
            return sign(InetAddress.getAllByName(address.host()), address.port());
        } catch (UnknownHostException e) {
            return sign(e);
        }
    }

    /** It may listen at one of the addresses of its name alone, so that all are asked: the strongest sign counts. */
    static String sign(InetAddress[] all, int port) {
        Map<InetAddress, IOException> failed = new LinkedHashMap<>();
        Sign strongest = strongest(List.of(all), port, failed);
        return strongest == null ? sign(failed) : strongest.text();
    }

    /** What a server says by a connection to one of its addresses. */
    private record Sign(InetAddress at, String text) {}

    /** @param failed gets the addresses without a connection */
    private static @Nullable Sign strongest(List<InetAddress> all, int port, Map<InetAddress, IOException> failed) {
        Sign strongest = null;
        for (InetAddress each : all) {
            try {
                Sign sign = new Sign(each, connected(new InetSocketAddress(each, port)));
                if (sign.text().equals(RESPONDS)) {
                    return sign; // a balancer in front of no server closes
                }
                strongest = strongest == null || strongest.text().equals(SILENT) ? sign : strongest;
            } catch (IOException e) {
                failed.put(each, e);
            }
        }
        return strongest;
    }

    /** Returns a lookup for connections to it, by which they go to the address with the strongest sign of life. */
    static NameLookup toSign(NameLookup names, Address address) {
        return (host, timeout) -> {
            List<InetAddress> all = names.lookup(host, timeout);
            Sign strongest = all.size() == 1 ? null : strongest(all, address.port(), new LinkedHashMap<>());
            return strongest == null ? all : List.of(strongest.at());
        };
    }

    /** @throws IOException if there is no connection */
    private static String connected(InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) RESPONSE.toMillis());
            try {
                socket.setSoTimeout((int) RESPONSE.toMillis());
                return socket.getInputStream().read() < 0 ? "its port accepts connections, and closes them" : RESPONDS;
            } catch (SocketTimeoutException e) {
                return SILENT;
            } catch (IOException e) {
                return "its port accepts connections, and breaks them (" + e.getMessage() + ")";
            }
        }
    }

    /**
     * Returns the sign that no connection to any of its addresses is. Where one of IPv4 refuses, those of IPv6 say
     * nothing if this machine itself can use none of them, and the other way round; of the same family a missing route
     * may be the way to where the server lives.
     */
    static String sign(Map<InetAddress, IOException> failed) {
        boolean refused = failed.values().stream().anyMatch(each -> sign(each).isEmpty());
        Set<Class<?>> routed = new HashSet<>();
        failed.forEach((address, failure) -> {
            if (!refused || !isOfThisMachine(failure)) {
                routed.add(address.getClass());
            }
        });
        return failed.entrySet().stream()
                .filter(each -> routed.contains(each.getKey().getClass()))
                .map(each -> sign(each.getValue()))
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Java has types for some of these alone. */
    private static boolean isOfThisMachine(IOException failed) {
        String message = String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT);
        return failed instanceof BindException // no address to connect from
                || message.contains("network is unreachable")
                || message.contains("address family");
    }

    /** A refusal comes from the machine itself. All else may be the way to it: others may still reach it. */
    static String sign(IOException failed) {
        boolean refused = failed instanceof ConnectException
                && !String.valueOf(failed.getMessage()).contains("timed out");
        return refused ? "" : UNREACHED + " (" + failed + ")";
    }

    /**
     * Makes it read-only, unless this is a rehearsal, if it gives a sign of life behind the promotion, and is writable.
     * Returns what to say of it; empty for nothing.
     *
     * @param witnessed whether clients were told of nothing that no witness has: what it has more is nobody's
     */
    String afterwards(boolean witnessed) {
        Address old = takeover.pair().primaryAddress();
        String sign = takeover.oldIsKnown() ? sign(old) : "";
        boolean silent = sign.equals(SILENT) || sign.startsWith(UNREACHED);
        if (sign.isEmpty() || silent && takeover.options().fenced() || leadsToStandby()) {
            return witnessed ? "" : untold();
        }
        try {
            if (takeover.pair().primary().readOnly()) {
                String more = witnessed ? "" : more();
                return takeover.options().fenced()
                        ? more
                        : old + " has come back, and is read-only" + (more.isEmpty() ? "" : "; " + more);
            }
        } catch (SQLException e) {
            String more = witnessed ? "" : untold();
            return old + " gives a sign of life, and whether it is read-only is not known (" + e.getMessage()
                    + "). Keep clients away from it" + (more.isEmpty() ? "" : "; " + more);
        }
        if (dryRun) {
            return old + " is writable: it would be made read-only";
        }
        return old + " was writable: " + fence() + ". What clients wrote there last is in no list";
    }

    /**
     * Returns what to say of what it has and the standby lacks; empty for nothing, or if it is not known who it is. It
     * may have written between the last look at the black boxes and the fence, or have been read by none.
     */
    String more() {
        if (!takeover.oldIsKnown()) {
            return "";
        }
        try {
            return lost(takeover.oldPrimaryHas());
        } catch (SQLException e) {
            return what() + e.getMessage();
        }
    }

    /** Returns the same of one that does not tell now, by what it has told since this has fenced it. */
    private String untold() {
        Takeover.Has its = told;
        return its != null ? lost(its) : fenced ? what() + "it was made read-only, and has told nothing since" : "";
    }

    private String lost(Takeover.Has its) {
        try {
            String more = its.lackedBy(takeover.reached());
            return more.isEmpty() ? "" : "whether clients were told of " + what() + more;
        } catch (SQLException | StepFailure e) {
            return what() + e.getMessage();
        }
    }

    private String what() {
        return "what " + takeover.pair().primaryAddress() + " has and " + takeover.name() + " lacks: ";
    }

    /** Makes it read-only if it can. Returns what was done, or why not. */
    private String fence() {
        try {
            limit(LOCKED); // fails where it does not respond, and has waited for nothing
            try {
                return setReadOnly(LOCKED);
            } catch (SQLException e) {
                if (!hasWaited(e)) {
                    throw e;
                }
                endUnacknowledged();
            }
            limit(UNACKNOWLEDGED);
            return setReadOnly(UNACKNOWLEDGED);
        } catch (SQLException e) {
            return NOT_FENCED + " (" + e.getMessage() + ")";
        }
    }

    private static boolean hasWaited(SQLException failed) {
        Throwable cause = failed;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return failed.getErrorCode() == ER_LOCK_WAIT_TIMEOUT || cause instanceof SocketTimeoutException;
    }

    /** The statement waits for commits, and nobody may acknowledge them. Their clients get no OK. */
    private void endUnacknowledged() {
        try {
            takeover.pair().primary().kill("KILL", "Waiting for semi-sync ACK");
        } catch (SQLException e) {
            return; // they end with the timeout of semi-sync
        }
    }

    private void limit(Duration wait) throws SQLException {
        takeover.pair().primary().executeWithin("SET SESSION lock_wait_timeout=" + wait.toSeconds(), RESPONSE);
    }

    /** While it waits nothing else commits. */
    private String setReadOnly(Duration wait) throws SQLException {
        String readOnly = takeover.pair().dialect().readOnly();
        takeover.pair().primary().executeWithin(readOnly, wait.plusSeconds(1));
        fenced = true;
        return "the old primary is read-only now (" + readOnly + ")";
    }
}
