package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.handshake.Handshake;
import io.understudy.handshake.LegCompression;
import io.understudy.handshake.LoginResult;
import io.understudy.plugin.SessionRefusal;
import io.understudy.wire.Leg;
import io.understudy.wire.packet.ErrPacket;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes a session from its login to the phase that follows, with the bytes that came with the login. */
final class LoginOutcome implements Handshake.Outcome {
    private final ClientSession session;
    private final Leg client;
    private final Leg server;
    private final SessionEnvironment environment;
    private final Destination destination;
    private final SessionFaults faults;
    /** The phase behind the login, from {@link #admit} on. */
    private @Nullable Relaying next;

    LoginOutcome(
            ClientSession session,
            Leg client,
            Leg server,
            SessionEnvironment environment,
            Destination destination,
            SessionFaults faults) {
        this.session = session;
        this.client = client;
        this.server = server;
        this.environment = environment;
        this.destination = destination;
        this.faults = faults;
    }

    /** Opens the plugins' observers, which may refuse the login. */
    @Override
    public void admit(LoginResult result) {
        Relaying relaying = new RelayingFactory(session, client, server, environment).relaying(result);
        SessionRefusal refusal = relaying.model().refusal();
        if (refusal != null) {
            relaying.close(CloseReason.REFUSED_BY_PLUGIN);
            result.proof().wipe();
            throw new PluginRefusal(refusal);
        }
        next = relaying;
    }

    @Override
    public void loggedIn(LoginResult result) {
        Handshake handshake = handshake();
        environment.metrics().connection("accepted");
        destination.loggedIn();
        if (result.redirected()) {
            environment.redirectRemoved();
        }
        Relaying relaying = Objects.requireNonNull(next, "admitted before");
        session.enter(relaying);
        session.loggedIn(result);
        LegCompression compression = result.compression();
        // A client may send its first command right after its last authentication packet.
        ByteBuf early = handshake.drainClient();
        // After the OK_Packet nothing is due from the server except the error of a server that closes at once.
        ByteBuf late = handshake.drainServer();
        handshake.close();
        if (compression.compressesServer()) {
            client.limitPendingWrites();
            server.startCompression(compression.ofServer(environment.inflation()), late);
        } else {
            session.fromServer(late);
        }
        if (session.phase() == relaying) {
            relaying.begin(session::fromClient);
        }
        if (environment.hold().on()) {
            session.hold();
        }
        if (compression.compressesClient()) {
            server.limitPendingWrites();
            client.startCompression(compression.ofClient(environment.inflation()), early);
        } else {
            session.fromClient(early);
        }
        session.clientReadComplete();
        session.clientDoneBehindEarly();
        session.applyBoundaryRequests();
    }

    private Handshake handshake() {
        if (!(session.phase() instanceof LoggingIn login)) {
            throw new IllegalStateException("a login ended while " + session.phaseName());
        }
        return login.handshake();
    }

    @Override
    public void refusedByServer(ErrPacket err) {
        session.end(faults.refusedByServer(err));
    }

    @Override
    public void passthrough() {
        Handshake handshake = handshake();
        environment.metrics().connection("passthrough");
        session.enter(new Passthrough(client, server, handshake.serverThreadId(), environment));
        ByteBuf fromClient = handshake.drainClient();
        ByteBuf fromServer = handshake.drainServer();
        handshake.close();
        session.phase().fromClient(fromClient);
        session.phase().fromServer(fromServer);
        session.phase().clientReadComplete();
        session.phase().serverReadComplete();
        session.clientDoneBehindEarly();
    }

    @Override
    public void tlsFailed(boolean withServer, Throwable cause) {
        if (!session.ended()) {
            session.end(withServer ? faults.noTlsWithServer(session.phase(), cause) : faults.noTlsWithClient(cause));
        }
    }
}
