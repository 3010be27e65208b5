package io.understudy.session;

import io.understudy.command.SessionModel;
import io.understudy.handshake.LoginResult;
import io.understudy.host.SessionPlugin;
import io.understudy.inject.GtidTracking;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ServerFlavor;
import io.understudy.protocol.Capabilities;
import io.understudy.wire.Leg;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Creates the command phase of a session from the result of its login: its model, its observers, and the translation
 * that differences between the two legs require.
 */
record RelayingFactory(ClientSession session, Leg client, Leg server, SessionEnvironment environment) {
    Relaying relaying(LoginResult login) {
        SessionModel model = model(login);
        model.setThreadIds(environment.threadIds(), session::serverName);
        if (environment.moves()) {
            model.setMovable();
        }
        List<SessionPlugin> plugins = environment.plugins().openSession(model);
        GtidTracking tracking = tracking(login, model, SessionPlugin.interests(plugins));
        OkPacketFilter filter = OkPacketFilter.of(
                login.capabilities(),
                login.clientTracksSession(),
                login.handshakeV10().mayRedirect()
                        || model.movable() && model.flavor() == ServerFlavor.MARIADB, // perhaps to a newer server
                tracking,
                client.alloc(),
                environment::redirectRemoved);
        ObserverChain observers = new ObserverChain(plugins, tracking, model, environment);
        Relaying relaying = new Relaying(
                client,
                server,
                model,
                observers,
                environment,
                filter,
                ChangeUserDialogue.of(login.bridge(), model, client, server),
                session::applyBoundaryRequests,
                session::unread);
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
                environment.analyzer(),
                environment.statementLimit(),
                environment.sqlMode(),
                environment.pipeline(),
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

    /** Returns the proxy's own tracking of GTIDs: on if an observer wants them and this connection supports them. */
    private static GtidTracking tracking(LoginResult login, SessionModel model, int interests) {
        boolean carried = (login.capabilities() & Capabilities.SESSION_TRACK) != 0;
        if (!carried || (interests & Interest.GTIDS) == 0) {
            return GtidTracking.off();
        }
        GtidTracking tracking = new GtidTracking(model.flavor(), model::autocommit);
        model.setTrackingWatch(tracking);
        return tracking;
    }
}
