package io.understudy.relay;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.understudy.command.SessionModel;
import io.understudy.config.Address;
import io.understudy.handshake.LoginProof;
import io.understudy.handshake.LoginResult;
import io.understudy.session.ClientSession;
import io.understudy.session.SessionMover;
import io.understudy.sql.TableName;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes a session's server leg to another server, in a {@link MoveAttempt} each time, and keeps what its user is logged
 * in with there. One for each session; on its event loop.
 */
final class ServerChange implements SessionMover {
    final RelayContext context;
    final ClientSession session;
    final ChannelLeg client;
    final ChannelLeg server;
    final EventLoop loop;
    private Address address;
    private LoginProof proof = new LoginProof.None("");
    private String loginUser = "";
    private long maxPacket;
    private @Nullable MoveAttempt attempt;

    /** @param address of the server to which the leg leads */
    ServerChange(RelayContext context, ClientSession session, ChannelLeg client, ChannelLeg server, Address address) {
        this.context = context;
        this.session = session;
        this.client = client;
        this.server = server;
        this.address = address;
        this.loop = client.channel().eventLoop();
    }

    @Override
    public void loggedIn(LoginResult login) {
        proof = login.proof();
        loginUser = login.handshakeResponse().user();
        maxPacket = login.handshakeResponse().maxPacketSize();
    }

    @Override
    public void move(
            SessionModel model,
            Set<String> ownVariables,
            List<TableName> readAgain,
            boolean serverGone,
            Result result) {
        MoveAttempt next = new MoveAttempt(this, model, ownVariables, readAgain, serverGone, result);
        attempt = next;
        next.begin();
    }

    @Override
    public Runnable later(Runnable task, long millis) {
        Future<?> scheduled = loop.schedule(task, millis, TimeUnit.MILLISECONDS);
        return () -> scheduled.cancel(false);
    }

    @Override
    public void ended() {
        MoveAttempt running = attempt;
        if (running != null) {
            running.giveUp();
        }
        proof.wipe();
    }

    /** Gives the leg a channel to another server, which is its own from now on. */
    void arrived(Channel channel, Address at) {
        server.become(channel);
        address = at;
    }

    Address address() {
        return address;
    }

    long maxPacket() {
        return maxPacket;
    }

    /** Returns what the login of the user has shown. */
    LoginProof proof(String user) {
        // COM_CHANGE_USER to another user has shown nothing of that one's secret.
        return user.equals(loginUser) ? proof : new LoginProof.None("COM_CHANGE_USER");
    }
}
