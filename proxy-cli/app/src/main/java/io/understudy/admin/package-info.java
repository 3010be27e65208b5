/**
 * The HTTP endpoint for operators: metrics, health, JSON views, actions and the dashboard page. It depends on no plugin
 * and no session: views and actions are registered by name and run on threads without database traffic.
 */
@NullMarked
package io.understudy.admin;

import org.jspecify.annotations.NullMarked;
