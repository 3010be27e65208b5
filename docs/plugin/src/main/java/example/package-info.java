/** Two plugins that show what the API allows: a limit of connections for each tenant, and a list of refused digests. */
package example;
