package io.understudy.relay;

import io.understudy.connection.SessionConnector;
import io.understudy.move.MovesAtOnce;
import io.understudy.move.SessionSecrets;

/**
 * What sessions share that move to another server. Thread-safe.
 *
 * @param connector logs in to the new server
 * @param secrets finds what a session's user is logged in with
 * @param atOnce bounds the moves in progress
 */
public record MoveTools(SessionConnector connector, SessionSecrets secrets, MovesAtOnce atOnce) {}
