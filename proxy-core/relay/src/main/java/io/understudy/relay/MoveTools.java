package io.understudy.relay;

import io.understudy.config.Address;
import io.understudy.connection.SessionConnector;
import io.understudy.move.MovesAtOnce;
import io.understudy.move.SessionSecrets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What sessions share that move to another server. Thread-safe.
 *
 * @param connector logs in to the new server
 * @param secrets finds what a session's user is logged in with
 * @param atOnce bounds the moves in progress
 * @param answers the monotonic time of the last answer of each server that sessions left
 */
public record MoveTools(
        SessionConnector connector, SessionSecrets secrets, MovesAtOnce atOnce, Map<Address, Long> answers) {
    public MoveTools(SessionConnector connector, SessionSecrets secrets, MovesAtOnce atOnce) {
        this(connector, secrets, atOnce, new ConcurrentHashMap<>());
    }
}
