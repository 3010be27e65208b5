package io.understudy.unplanned;

import io.understudy.config.Address;
import io.understudy.server.PrimaryState;
import io.understudy.servers.ReportedPosition;
import io.understudy.switchover.Node;
import io.understudy.switchover.Step;
import io.understudy.switchover.StepFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Ensures that the old primary gives no sign of life, here and to each proxy, or fences it if that is asked for. */
record OldPrimaryStep(Takeover takeover, boolean dryRun, Duration patience) implements Step {
    /** A proxy finds out with its next probe: each second, and after three without a response. */
    private static final Duration PATIENCE = Duration.ofSeconds(6);

    private static final Duration RESPONSE = Duration.ofSeconds(3);
    private static final long PAUSE_MILLIS = 200;
    private static final @Nullable String NOT_YET = PrimaryState.UNKNOWN.problem();

    OldPrimaryStep(Takeover takeover, boolean dryRun) {
        this(takeover, dryRun, PATIENCE);
    }

    @Override
    public String plan() {
        return takeover.options().fenced()
                ? "make the old primary read-only if it responds"
                : "ensure that the old primary does not respond, here and to each proxy";
    }

    @Override
    public String run() throws Exception {
        if (!takeover.oldIsKnown()) {
            return "nobody follows it any more";
        }
        Address old = takeover.pair().primaryAddress();
        String signs = signs(old);
        if (signs.isEmpty()) {
            return old + " does not";
        }
        if (dryRun && takeover.options().fenced()) {
            return "it does (" + signs + "): it would be made read-only: "
                    + takeover.pair().dialect().readOnly();
        }
        if (takeover.options().fenced()) {
            return signs + ": " + fence();
        }
        throw new StepFailure("the old primary " + old + " is not known to be dead: " + signs
                + ". If it lives: understudy switchover --to " + takeover.name()
                + ". If it is to be given up: keep clients away from it (power, network, STOP), and repeat this with"
                + " --fenced");
    }

    /** Returns who has which sign of life of it; empty for nobody. */
    private String signs(Address old) throws IOException, InterruptedException {
        String here = sign(old);
        if (!here.isEmpty()) {
            return here;
        }
        long begun = System.nanoTime();
        List<AskedProxy> left = new ArrayList<>(takeover.proxies());
        while (true) {
            StringJoiner signs = new StringJoiner("; ");
            for (AskedProxy each : List.copyOf(left)) {
                Map<String, Object> view = each.view();
                if (follows(each, view)) {
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
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.host(), address.port()), (int) RESPONSE.toMillis());
            socket.setSoTimeout((int) RESPONSE.toMillis());
            try {
                return socket.getInputStream().read() < 0
                        ? "its port accepts connections, and closes them"
                        : "it responds";
            } catch (SocketTimeoutException e) {
                return "its port accepts connections, and nothing comes: it may be frozen, and go on later";
            } catch (IOException e) {
                return "its port accepts connections, and breaks them (" + e.getMessage() + ")";
            }
        } catch (IOException e) {
            return sign(e);
        }
    }

    /** A refusal comes from the machine itself. All else may be the way to it: others may still reach it. */
    static String sign(IOException failed) {
        boolean refused = failed instanceof ConnectException
                && !String.valueOf(failed.getMessage()).contains("timed out");
        return refused ? "" : "it cannot be reached from here, whether it lives or not (" + failed + ")";
    }

    /**
     * Makes it read-only if it has come back by itself behind the promotion. Returns what to say of it; empty if it has
     * not.
     */
    String afterwards() {
        if (!takeover.oldIsKnown()
                || takeover.options().fenced()
                || sign(takeover.pair().primaryAddress()).isEmpty()) {
            return "";
        }
        String back = takeover.pair().primaryAddress() + " has come back: ";
        try {
            String server = takeover.pair()
                    .primary()
                    .ask("its identity", ReportedPosition::of)
                    .server();
            if (server.equals(takeover.reached().applied().server())) {
                return ""; // an address that has moved to the new primary
            }
            if (takeover.pair().primary().readOnly()) {
                return back + "it is read-only";
            }
        } catch (SQLException e) {
            return back + "whether it is read-only is not known (" + e.getMessage() + "). Keep clients away from it";
        }
        return back + fence() + ". What clients wrote there is in no list";
    }

    /** Makes it read-only if it can. Returns what was done, or why not. */
    private String fence() {
        Node primary = takeover.pair().primary();
        String readOnly = takeover.pair().dialect().readOnly();
        try {
            primary.executeWithin("SET SESSION lock_wait_timeout=2", RESPONSE);
            primary.executeWithin(readOnly, RESPONSE);
            return "the old primary is read-only now (" + readOnly + ")";
        } catch (SQLException e) {
            return "the old primary could NOT be made read-only: keep clients away from it (power, network, STOP), as"
                    + " what is written there from now on is lost (" + e.getMessage() + ")";
        }
    }
}
