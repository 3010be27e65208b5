package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.understudy.command.GtidTracking;
import io.understudy.command.SessionModel;
import io.understudy.handshake.Handshake;
import io.understudy.handshake.LegCompression;
import io.understudy.handshake.LoginResult;
import io.understudy.host.SessionPlugin;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionRefusal;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.Leg;
import io.understudy.wire.packet.ErrPacket;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
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
        Relaying relaying = relaying(result);
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

    /** Creates the command phase: its model, its observers, and what differences between the two legs require. */
    private Relaying relaying(LoginResult login) {
        SessionModel model = model(login);
        model.setThreadIds(environment.threadIds, session::serverName);
        if (environment.moves()) {
            model.setMovable();
        }
        List<SessionPlugin> plugins = environment.plugins.openSession(model);
        boolean tracks = (login.capabilities() & Capabilities.SESSION_TRACK) != 0;
        if (tracks && (SessionPlugin.interests(plugins) & Interest.GTIDS) != 0) {
            model.setTracking(new GtidTracking(model.flavor(), model::autocommit));
        }
        OkPacketFilter filter = OkPacketFilter.of(
                login.capabilities(),
                login.clientTracksSession(),
                login.handshakeV10().mayRedirect()
                        || model.movable() && model.flavor() == ServerFlavor.MARIADB, // perhaps to a newer server
                model.tracking(),
                client.alloc(),
                environment::redirectRemoved);
        ObserverChain observers = new ObserverChain(plugins, model, environment);
        Relaying relaying =
                new Relaying(session, client, server, model, observers, environment, filter, login.bridge());
        if (login.compression().compressesServer()) {
            relaying.numberResponses();
        }
        return relaying;
    }

    private SessionModel model(LoginResult login) {
        SessionModel.Login known = new SessionModel.Login(
                session.id(),
                login.handshakeResponse().user(),
                login.handshakeResponse().schema(),
                login.handshakeResponse().collation(),
                client.remoteAddress(),
                login.handshakeV10().isMariaDb() ? ServerFlavor.MARIADB : ServerFlavor.MYSQL,
                login.handshakeV10().serverVersion(),
                login.handshakeV10().threadId(),
                login.capabilities(),
                login.status(),
                client(login));
        return new SessionModel(
                known,
                environment.analyzer,
                environment.statementLimit(),
                environment.sqlMode(),
                environment.pipeline,
                session.begunNanos());
    }

    private SessionModel.Client client(LoginResult login) {
        SSLSession tls = client.tlsSession();
        return new SessionModel.Client(tls != null, subject(tls), login.attributes(), session::refused);
    }

    private static @Nullable String subject(@Nullable SSLSession tls) {
        try {
            return tls == null ? null : tls.getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException noCertificate) {
            return null;
        }
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
        session.enter(Unread.passthrough(client, server, handshake.serverThreadId(), environment));
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
