package io.understudy.server;

/**
 * The reason why a server could not be connected to, in the form of an ERR packet.
 *
 * @param code error number, from the range of server errors
 * @param sqlState HY000
 * @param message says which server and why
 */
public record ConnectFailure(int code, String sqlState, String message) {}
