/**
 * Authentication methods of the client side: one class each, knowing passwords and scrambles and nothing of packets or
 * connections.
 */
@NullMarked
package io.understudy.connection.auth;

import org.jspecify.annotations.NullMarked;
