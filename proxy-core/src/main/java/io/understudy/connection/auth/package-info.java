/**
 * Authentication methods, seen from the client: one class each, knowing passwords and scrambles and nothing of packets or
 * connections.
 */
@NullMarked
package io.understudy.connection.auth;

import org.jspecify.annotations.NullMarked;
