package io.understudy.server;

/**
 * Why a server could not be connected to, as an ERR packet tells it.
 *
 * @param code error number, of those that servers may send
 * @param sqlState HY000
 * @param message says which server and why
 */
public record ConnectFailure(int code, String sqlState, String message) {}
