/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++: ranges that end with their scope, and a request that begins in one thread
 * and ends in another: scopes [DIRECTORY]
 */
#include <acl/acl_prof.h>

#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(const char *call, aclError code)
{
	if (code)
		throw std::runtime_error(std::string(call) + ": " + std::to_string(code));
}

/* Init and Start; end() is Stop and Finalize. */
class Session {
public:
	explicit Session(const std::string &path)
	{
		check("aclprofInit", aclprofInit(path.c_str(), path.size()));
		config = aclprofCreateConfig(nullptr, 0, ACL_AICORE_NONE, nullptr, ACL_PROF_MSPROFTX);
		check("aclprofStart", aclprofStart(config));
	}
	/* Where a destructor could only be silent about a full disk, this tells. */
	void end()
	{
		check("aclprofStop", aclprofStop(config));
		check("aclprofDestroyConfig", aclprofDestroyConfig(config));
		check("aclprofFinalize", aclprofFinalize());
	}
	Session(const Session &) = delete;
	Session &operator=(const Session &) = delete;

private:
	aclprofConfig *config;
};

/* A stamp with its text. Outside of a session there is none, and the calls below do nothing. */
class Stamp {
public:
	explicit Stamp(const std::string &text) : stamp(aclprofCreateStamp())
	{
		if (stamp)
			aclprofSetStampTraceMessage(stamp, text.c_str(), static_cast<uint32_t>(text.size()));
	}
	~Stamp()
	{
		if (stamp)
			aclprofDestroyStamp(stamp);
	}
	Stamp(const Stamp &) = delete;
	Stamp &operator=(const Stamp &) = delete;
	void *get() const
	{
		return stamp;
	}

private:
	void *stamp;
};

/* A range of the thread that makes it; they nest as scopes do. */
class Scope {
public:
	explicit Scope(const std::string &text) : stamp(text)
	{
		if (stamp.get())
			aclprofPush(stamp.get());
	}
	~Scope()
	{
		if (stamp.get())
			aclprofPop();
	}

private:
	Stamp stamp;
};

uint32_t begin_request(const std::string &text)
{
	Stamp stamp(text);
	uint32_t id = 0;

	if (stamp.get())
		check("aclprofRangeStart", aclprofRangeStart(stamp.get(), &id));
	return id;
}

double layer(int number, std::vector<double> &data)
{
	Scope scope("layer " + std::to_string(number));
	double sum = 0;

	for (double &value : data)
		sum += value = value * 0.5 + number;
	return sum;
}

double forward(std::vector<double> &data)
{
	Scope scope("forward");
	double sum = 0;

	for (int i = 0; i < 3; i++)
		sum += layer(i, data);
	return sum;
}

void serve(int requests)
{
	std::vector<double> data(10000, 1.0);
	std::thread sender;

	for (int i = 0; i < requests; i++) {
		uint32_t id = begin_request("request " + std::to_string(i));

		forward(data);
		if (sender.joinable())
			sender.join();
		sender = std::thread([id] { aclprofRangeStop(id); });
	}
	sender.join();
}

} // namespace

int main(int argc, char **argv)
{
	try {
		Session session(argc > 1 ? argv[1] : "./result");

		serve(10);
		session.end();
	} catch (const std::exception &error) {
		std::cerr << error.what() << '\n';
		return 1;
	}
	return 0;
}
