package io.understudy.unplanned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.understudy.config.Address;
import io.understudy.config.ConfigLoader;
import io.understudy.config.UnderstudyConfig;
import io.understudy.remote.AdminClient;
import io.understudy.switchover.Node;
import io.understudy.switchover.StepFailure;
import io.understudy.switchover.SwitchoverAccount;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No sign of life is missed for want of a name or of a probe. */
class OldPrimaryStepTest {
    private static final String ALIVE = "{\"address\": \"%s\", \"reachable\": true, \"problem\": null}";
    private static final String DEAD = "{\"address\": \"db1:3306\", \"reachable\": false, \"problem\": \"refused\"}";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NOT_YET =
            "{\"address\": \"db1:3306\", \"reachable\": false, \"problem\": \"not yet contacted\"}";

    private final TakeoverFixture standby = new TakeoverFixture();
    /** The responses to come; the last one stays. */
    private final Queue<String> views = new ArrayDeque<>();

    /** What is said of it behind the promotion. */
    private String afterwards = "";

    /** The same, if clients were told of nothing that no witness has. */
    private String witnessed = "";

    /** Whether it is asked for the last time before the promotion. */
    private boolean last;

    /** Whether it was waited for long enough. */
    private boolean givenUp;

    private String standbys = "[]";
    private HttpServer proxy;

    @BeforeEach
    void start() throws IOException {
        proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext("/api/", exchange -> {
            String response = exchange.getRequestURI().getPath().endsWith("/standbys")
                    ? standbys
                    : views.size() > 1 ? views.remove() : views.element();
            exchange.sendResponseHeaders(200, response.length());
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(response.getBytes(StandardCharsets.US_ASCII));
            }
        });
        proxy.start();
    }

    @AfterEach
    void stop() {
        proxy.stop(0);
    }

    /** Asks once. */
    private String check(String response) throws Exception {
        return check(Duration.ZERO, response);
    }

    /** Nothing listens at the old primary's address. */
    private String check(Duration patience, String... responses) throws Exception {
        views.addAll(List.of(responses));
        AdminClient admin = new AdminClient("127.0.0.1:" + proxy.getAddress().getPort(), null);
        AskedProxy asked = new AskedProxy("proxy:1", admin);
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        return new OldPrimaryStep(standby.takeover("127.0.0.1:" + port, asked), false, patience).run();
    }

    @Test
    void aProxyMayNameTheOldPrimaryOtherwise() {
        assertThatThrownBy(() -> check(ALIVE.formatted("db1:3306")))
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("db1:3306 responds to the proxy proxy:1, though not here");
    }

    /** It began without a writable candidate, and has taken one of them. */
    @Test
    void aProxyThatDoesNotKnowThePrimaryGivesNoSignOfIt() throws Exception {
        assertThat(check(ALIVE.formatted("db3:3306").replace("{", "{\"known\": false, ")))
                .endsWith("does not");
    }

    @Test
    void theStandbyIsNotTheOldPrimary() throws Exception {
        assertThat(check(ALIVE.formatted("10.0.0.2:3306"))).endsWith("does not");
        standbys = "[{\"standby\": \"s1\", \"primary\": true}]";
        views.clear();
        assertThat(check(ALIVE.formatted("db2:3306"))).endsWith("does not");
    }

    @Test
    void aProxyThatHasOnlyBegunIsWaitedFor() throws Exception {
        assertThat(check(PATIENCE, NOT_YET, NOT_YET, DEAD)).endsWith("does not");
        views.clear();
        assertThatThrownBy(() -> check(NOT_YET))
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("the proxy proxy:1 has not probed db1:3306 yet");
    }

    /** A virtual address may have moved to the standby already. */
    @Test
    void theStandbyIsNotFencedByTheOldPrimarysAddress() throws Exception {
        standby.fenced = true;
        standby.primary = standby;
        assertThat(fence()).contains("its address leads to s1");
        assertThat(standby.executed).isEmpty();
        assertThat(afterwards).isEmpty();

        TakeoverFixture other = new TakeoverFixture();
        other.server = "1";
        other.readOnly = "0";
        standby.primary = other;
        assertThat(fence()).contains("the old primary is read-only now");
        assertThat(standby.executed).isEmpty();
        assertThat(afterwards).contains("was writable");
        assertThat(other.executed).containsOnly("SET GLOBAL read_only=1");
    }

    /** Before the promotion; and behind it, when nothing is to be said of the address that has moved. */
    private String fence() throws Exception {
        try (ServerSocket old = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread greets = new Thread(() -> {
                while (true) {
                    try (Socket client = old.accept()) {
                        client.getOutputStream().write(0);
                    } catch (IOException e) {
                        return; // closed
                    }
                }
            });
            greets.start();
            OldPrimaryStep step =
                    new OldPrimaryStep(standby.takeover("127.0.0.1:" + old.getLocalPort()), false, Duration.ZERO);
            if (givenUp) {
                step.giveUp();
            }
            String before = last ? step.last().run() : step.run();
            afterwards = step.afterwards(false);
            witnessed = step.afterwards(true);
            return before;
        }
    }

    /** It was frozen, and has written between the last look at the black boxes and the fence. */
    @Test
    void whatAFencedPrimaryHasMoreIsSaid() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "10.0.0.1:3306:1";
        standby.fenced = true;
        standby.primary = old;
        fence();
        assertThat(afterwards).isEmpty();

        old.logged = "0-1-7";
        fence();
        assertThat(afterwards).contains("whether clients were told of what", "has and s1 lacks: 0-1-7");
        assertThat(witnessed).isEmpty();
        standby.replicated = "0-9-5";
        fence();
        assertThat(afterwards).as("also its first").contains("lacks: 0-1-7");
        standby.broken = true;
        fence();
        assertThat(afterwards)
                .as("a fault of the standby")
                .contains("s1: its position")
                .doesNotContain("read-only");
        standby.broken = false;
        old.received = null;
        fence();
        assertThat(afterwards).contains("what it has received is not known");
    }

    /** It was frozen, and has written since what was applied to the standby: it can be read still. */
    @Test
    void whatAFencedPrimaryHasMoreIsNotLostByThePromotion() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "10.0.0.1:3306:1";
        old.readOnly = "0";
        standby.fenced = true;
        standby.primary = old;
        last = true;
        assertThat(fence()).contains("the old primary is read-only now");

        old.logged = "0-1-7";
        assertThatThrownBy(this::fence)
                .isInstanceOf(OldPrimaryAhead.class)
                .hasMessageContaining("has transactions that s1 lacks: 0-1-7. the old primary is read-only now")
                .hasMessageContaining("Run this again")
                .hasMessageContaining("give them up: stop the old primary")
                .hasMessageContaining("To keep that one instead, there: SET GLOBAL read_only=0");
        old.refused = "SET GLOBAL read_only=1";
        assertThatThrownBy(this::fence).hasMessageContaining("could NOT be made read-only");
        old.received = null;
        assertThatThrownBy(this::fence)
                .as("what it has received is not known, what it has applied is")
                .isInstanceOf(OldPrimaryAhead.class)
                .hasMessageContaining("lacks: 0-1-7");
        old.logged = null;
        assertThat(fence()).contains("could NOT be made read-only");
        old.logged = "0-1-7";
        last = false;
        assertThat(fence()).as("what follows may bring it").contains("could NOT be made read-only");
    }

    /** It froze once more: it may have written before. Whoever waits for the failover learns that this is not known. */
    @Tag("long")
    @Test
    void aFencedPrimaryThatDoesNotTellWhatItHasIsGivenUpAloud() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "10.0.0.1:3306:1";
        old.broken = true;
        standby.fenced = true;
        standby.primary = old;
        last = true;
        assertThatThrownBy(this::fence)
                .isInstanceOfSatisfying(
                        OldPrimaryAhead.class, e -> assertThat(e.tells()).isFalse());
        try (ServerSocket listens = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            OldPrimaryStep step = fencedOnce(listens);
            assertThatThrownBy(() -> step.last().run()).isInstanceOf(OldPrimaryAhead.class);
            step.giveUp();
            assertThat(step.last().run()).contains("nothing comes");
            assertThat(step.afterwards(false))
                    .startsWith("what 127.0.0.1")
                    .endsWith("has and s1 lacks: it was made read-only, and has told nothing since");
        }
        old.refused = "SET GLOBAL read_only=1";
        assertThat(fence()).as("as one that is silent").contains("could NOT be made read-only");
    }

    /** Its power was cut behind the fence, as something else fences it, too: what it told before still counts. */
    @Tag("long")
    @Test
    void whatAFencedPrimaryToldBeforeItFellSilentIsSaid() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "10.0.0.1:3306:1";
        standby.fenced = true;
        standby.primary = old;
        old.logged = "0-1-7";
        try (ServerSocket listens = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            OldPrimaryStep step = fencedOnce(listens);
            assertThatThrownBy(() -> step.last().run())
                    .isInstanceOfSatisfying(
                            OldPrimaryAhead.class, e -> assertThat(e.tells()).isFalse());
            step.giveUp();
            assertThat(step.last().run())
                    .endsWith("nothing comes: it may be frozen, and go on later: the old primary"
                            + " was made read-only before");
            assertThat(step.afterwards(true)).as("clients were told of nothing").isEmpty();
            assertThat(step.afterwards(false)).contains("whether clients were told of what", "s1 lacks: 0-1-7");
            listens.close();
            assertThat(step.last().run()).endsWith("does not");
            assertThat(step.afterwards(false)).as("stopped").contains("s1 lacks: 0-1-7");
            standby.replicated = "0-1-7";
            assertThat(step.afterwards(false)).as("a black box had it").isEmpty();
        }
        old.logged = null;
        try (ServerSocket listens = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            OldPrimaryStep step = fencedOnce(listens);
            assertThat(step.last().run()).as("it had no more").contains("nothing comes");
            assertThat(step.afterwards(false)).isEmpty();
        }
    }

    /** As one that comes back: what it has more can be read, or it be kept. */
    @Tag("long")
    @Test
    void oneThatWasGivenUpAndTellsThatItHasMoreIsNotPromotedOver() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "10.0.0.1:3306:1";
        old.logged = "0-1-7";
        standby.fenced = true;
        standby.primary = old;
        last = true;
        givenUp = true;
        assertThatThrownBy(this::fence)
                .isInstanceOfSatisfying(
                        OldPrimaryAhead.class, e -> assertThat(e.tells()).isTrue());
        old.broken = true;
        assertThat(fence()).contains("the old primary is read-only now");
    }

    /** Its old primary greets once, and accepts connections from then on. */
    private OldPrimaryStep fencedOnce(ServerSocket listens) throws Exception {
        Thread once = new Thread(() -> {
            try (Socket client = listens.accept()) {
                client.getOutputStream().write(0);
            } catch (IOException e) {
                return; // closed
            }
        });
        once.start();
        OldPrimaryStep step =
                new OldPrimaryStep(standby.takeover("127.0.0.1:" + listens.getLocalPort()), false, Duration.ZERO);
        assertThat(step.run()).contains("the old primary is read-only now");
        return step;
    }

    /** A run that was killed behind the promotion is repeated, and the old primary has come back meanwhile. */
    @Test
    void oneThatComesBackReadOnlyBehindThePromotionIsNoObstacle() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "1";
        standby.primary = old;
        assertThatThrownBy(this::fence)
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("If it lives: understudy switchover --to s1");

        standby.readOnly = "0";
        standby.receiver = "No";
        standby.applier = "No";
        assertThat(fence()).endsWith("has come back, and is read-only");

        old.readOnly = "0";
        assertThatThrownBy(this::fence)
                .isInstanceOf(StepFailure.class)
                .hasMessageContaining("s1 was promoted before, and both may be writable")
                .hasMessageNotContaining("switchover");
        assertThat(old.executed).isEmpty();
    }

    /** Its commits wait for an acknowledgement that does not come, and the statement for them. */
    @Test
    void commitsThatWaitDoNotKeepItWritable() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "1";
        old.readOnly = "0";
        old.waiting.put("7", "Waiting for semi-sync ACK from slave");
        old.waiting.put("8", "Waiting for query cache lock");
        standby.fenced = true;
        standby.primary = old;
        assertThat(fence()).contains("the old primary is read-only now");
        assertThat(old.killed).containsExactly("KILL 7");
    }

    /** A refused statement waits for nothing: what is killed would lose its OK, and the server stays writable. */
    @Test
    void commitsGoOnIfTheAccountMayNotMakeItReadOnly() throws Exception {
        TakeoverFixture old = new TakeoverFixture();
        old.server = "1";
        old.readOnly = "0";
        old.waiting.put("7", "Waiting for semi-sync ACK from slave");
        old.refused = "SET GLOBAL read_only=1";
        standby.fenced = true;
        standby.primary = old;
        assertThat(fence()).contains("could NOT be made read-only", "Access denied");
        assertThat(old.killed).isEmpty();
    }

    @Test
    void aNameThatIsNotKnownHereMayLive() {
        assertThat(OldPrimaryStep.sign(Address.parse("no-such-host.invalid:3306")))
                .contains("it cannot be reached from here", "UnknownHostException");
    }

    @Test
    void itMayListenAtOneOfTheAddressesOfItsNameAlone() throws Exception {
        InetAddress[] all = {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("127.0.0.2")};
        int port;
        try (ServerSocket old = new ServerSocket(0, 1, all[1])) {
            port = old.getLocalPort();
            assertThat(OldPrimaryStep.sign(all, port)).contains("its port accepts connections");
            assertThat(lookup(all, port)).as("to be fenced, and asked").startsWith(all[1]);
        }
        assertThat(lookup(all, port)).containsExactly(all);
        assertThat(OldPrimaryStep.sign(all, port)).isEmpty();
    }

    private static List<InetAddress> lookup(InetAddress[] all, int port) throws IOException {
        return OldPrimaryStep.toSign((host, timeout) -> List.of(all), new Address("db1", port, ""))
                .lookup("db1", Duration.ofSeconds(1));
    }

    /** A balancer in front of no server closes what it accepts. */
    @Test
    void itIsFencedWhereItRespondsAndNotWhereSomethingCloses() throws Exception {
        InetAddress[] all = {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("127.0.0.2")};
        AtomicInteger asked = new AtomicInteger();
        try (ServerSocket balancer = new ServerSocket(0, 9, all[0]);
                ServerSocket old = new ServerSocket(balancer.getLocalPort(), 9, all[1])) {
            serve(balancer, client -> {});
            serve(old, client -> {
                asked.incrementAndGet();
                client.getOutputStream().write(0);
            });
            assertThat(OldPrimaryStep.sign(all, old.getLocalPort())).isEqualTo("it responds");
            UnderstudyConfig config = ConfigLoader.load(
                            "{ listen: { address: \"127.0.0.1:0\" }, primary: { address: \"db1:3306\" },"
                                    + " switchover: { user: u, password: p } }",
                            "test.yaml",
                            Map.of(),
                            name -> null)
                    .config();
            Node primary = Takeover.primary(
                    new Address("db1", old.getLocalPort(), ""),
                    config.primary(),
                    SwitchoverAccount.of(config),
                    (host, timeout) -> List.of(all));
            asked.set(0);
            assertThatThrownBy(primary::readOnly).isInstanceOf(SQLException.class);
            assertThat(asked.get()).as("a sign, and a login").isGreaterThan(1);
            primary.close();
        }
    }

    private interface Served {
        void accept(Socket client) throws IOException;
    }

    private static void serve(ServerSocket listens, Served served) {
        new Thread(() -> {
                    while (true) {
                        try (Socket client = listens.accept()) {
                            served.accept(client);
                        } catch (IOException e) {
                            return; // closed
                        }
                    }
                })
                .start();
    }

    @Test
    void itMayRespondAtOneAddressAndBeSilentAtAnother() throws Exception {
        InetAddress[] all = {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("127.0.0.2")};
        try (ServerSocket silent = new ServerSocket(0, 1, all[0]);
                ServerSocket old = new ServerSocket(silent.getLocalPort(), 1, all[1])) {
            Thread closes = new Thread(() -> {
                try {
                    old.accept().close();
                } catch (IOException e) {
                    return; // closed
                }
            });
            closes.start();
            assertThat(OldPrimaryStep.sign(all, old.getLocalPort())).contains("closes them");
        }
    }

    /** Else a host without IPv6, or IPv4, would never take a primary whose name has such an address for dead. */
    @Test
    void anAddressOfTheFamilyThatThisMachineCannotUseSaysNothingWhereOneOfTheOtherRefuses() throws Exception {
        InetAddress first = InetAddress.getByName("10.1.0.5");
        InetAddress second = InetAddress.getByName("10.2.0.5");
        InetAddress ofIpv6 = InetAddress.getByName("fd00::5");
        IOException refused = new ConnectException("Connection refused");
        for (IOException own : List.of(
                new SocketException("Network is unreachable"), new BindException("Cannot assign requested address"))) {
            assertThat(OldPrimaryStep.sign(Map.of(first, refused, ofIpv6, own))).isEmpty();
            assertThat(OldPrimaryStep.sign(Map.of(ofIpv6, refused, first, own))).isEmpty();
            assertThat(OldPrimaryStep.sign(Map.of(ofIpv6, refused, first, own, second, refused)))
                    .as("it can use IPv4")
                    .contains("whether it lives or not");
            assertThat(OldPrimaryStep.sign(Map.of(ofIpv6, own))).contains("whether it lives or not");
            assertThat(OldPrimaryStep.sign(Map.of(InetAddress.getByName("fd00::6"), refused, ofIpv6, own)))
                    .contains("whether it lives or not");
            assertThat(OldPrimaryStep.sign(Map.of(first, refused, second, own)))
                    .as("no route to where it may live")
                    .contains("whether it lives or not");
        }
        for (IOException far : List.of(
                new NoRouteToHostException("No route to host"), new SocketTimeoutException("Connect timed out"))) {
            assertThat(OldPrimaryStep.sign(Map.of(first, refused, ofIpv6, far))).contains("whether it lives or not");
        }
    }

    /** The way to it may be cut for this machine alone. */
    @Test
    void onlyARefusalIsNoSignOfLife() {
        assertThat(OldPrimaryStep.sign(new ConnectException("Connection refused")))
                .isEmpty();
        for (IOException each : List.of(
                new NoRouteToHostException("No route to host"),
                new SocketTimeoutException("Connect timed out"),
                new ConnectException("Connection timed out"),
                new SocketException("Network is unreachable"))) {
            assertThat(OldPrimaryStep.sign(each)).contains("whether it lives or not", each.getMessage());
        }
    }
}
