/**
 * The HTTP endpoint for operators: metrics, health, JSON views, actions and the dashboard page. It knows no plugin and
 * nothing of sessions: what it shows and does is registered by name, and runs on threads that serve no database traffic.
 */
@NullMarked
package io.understudy.admin;

import org.jspecify.annotations.NullMarked;
